"""Does a changed program still have the specification of the original? Trusted: a script is checked against it after each step.

The functions of the original are still there, with the same parameters and contracts. All that contracts refer to (definitions,
macros, logical constants, axioms) is the same, and no more is assumed, so the contracts mean the same.
"""

from __future__ import annotations

from optigpu.light_dataclass import dataclass
from optigpu.syntax.program import Axiom, Function, Include, Program, TopLevel
from optigpu.syntax.source import Loc


@dataclass(frozen=True, slots=True)
class SpecificationChange:
    """`change` completes a sentence that starts with the name: "has another contract"."""

    name: str
    change: str
    loc: Loc


def specification_change(original: Program, changed: Program) -> SpecificationChange | None:
    """The first part of the specification that is not as it was; None if all of it is."""
    old = {i.name: i for i in original.flat_items() if not isinstance(i, Include)}
    new = {i.name: i for i in changed.flat_items() if not isinstance(i, Include)}
    own = {f.name for f in changed.functions()}
    for f in original.functions():
        if f.name not in own:  # in an included file it would be checked only if it is called
            new.pop(f.name, None)
    assumed = {name: i for name, i in new.items() if _is_assumed(i)}
    for name, i in {**assumed, **old}.items():
        change = _change(old.get(name), new.get(name))
        if change is not None:
            return SpecificationChange(name, change, i.loc)
    return None


def _is_assumed(i: TopLevel) -> bool:
    """Is this true without a proof?"""
    return isinstance(i, Axiom) or (isinstance(i, Function) and i.admitted)


def _change(old: TopLevel | None, new: TopLevel | None) -> str | None:
    if old is None:
        return "is a new assumption"
    if new is None:
        return "is gone"
    if isinstance(old, Function) and isinstance(new, Function):
        if not _same_contract(old, new):
            return "has another contract"
        return "is assumed to be right as it was" if old.admitted and old.body != new.body else None
    return None if old == new else "is defined differently"


def _same_contract(f: Function, g: Function) -> bool:
    """Same parameters, result, contract, and both proved or both assumed."""
    same_params = [(p.name, p.type) for p in f.params] == [(p.name, p.type) for p in g.params]
    return (
        same_params
        and (f.role, f.result) == (g.role, g.result)
        and f.contract == g.contract
        and f.admitted == g.admitted
    )
