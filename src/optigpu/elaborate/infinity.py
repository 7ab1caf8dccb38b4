"""INFINITY in proofs: a real number of which nothing is known but that no number in a precondition is beyond it.

What is proved holds for every real number in its place that is large enough for the inputs of a call. So a maximum may start at
-INFINITY, and padding may be -INFINITY. Arithmetic with it is refused: `INFINITY - INFINITY` is 0 over the reals, and NaN of
floats. What may be a copy of it is shown to be a number where arithmetic has it as an operand (`infinite_values.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from optigpu.elaborate.name_scope import unsupported
from optigpu.logic import terms as k
from optigpu.logic.cells import KNOWN, CellClaim
from optigpu.logic.terms import REAL, Term
from optigpu.syntax.exprs import is_float
from optigpu.syntax.free_names import expr_names, names_in
from optigpu.syntax.program import Axiom, Define, Function, LogicDef, Program
from optigpu.syntax.source import Loc

INFINITY = k.function_var("INFINITY", REAL)
ARITHMETIC = ("+", "-", "*", "/", "%")


def uses_infinity(f: Function, program: Program) -> bool:
    """Does the function mention INFINITY, or call a function or use a definition that does?"""
    left, seen = [f.name], {f.name}
    mentioned: dict[str, set[str]] = {f.name: names_in(f)}
    for item in program.flat_items():
        match item:
            case Function(name):
                mentioned.setdefault(name, names_in(item))
            case Define(name, value) | LogicDef(name, value) | Axiom(name, value):
                mentioned[name] = expr_names(value)
            case _:
                pass
    while left:
        names = mentioned.get(left.pop(), set()) - seen
        if "INFINITY" in names:
            return True
        seen |= names
        left += names
    return False


def infinity_facts(
    f: Function, variables: tuple[Term, ...], claims: list[tuple[CellClaim, Loc]], strictly: bool
) -> list[tuple[Term, Loc]]:
    """INFINITY is positive, and the numbers of a precondition are not beyond it: real arguments, and what cells hold. `strictly`:
    nor are they INFINITY itself."""
    within = finite if strictly else _within
    facts = [(k.lt(k.num(0, REAL), INFINITY), f.loc)]
    facts += [(within(k.var(p.name, REAL)), p.loc) for p in f.params if is_float(p.type)]
    facts += [(within(x), f.loc) for x in variables if x.sort is REAL]
    return facts + [(fact, loc) for claim, loc in claims if (fact := _contents_within(claim, within)) is not k.TRUE]


def finite(x: Term) -> Term:
    """x is between -INFINITY and INFINITY, and neither of them."""
    return k.and_(k.lt(k.neg(INFINITY), x), k.lt(x, INFINITY))


def _within(x: Term) -> Term:
    return k.and_(k.le(k.neg(INFINITY), x), k.le(x, INFINITY))


def _contents_within(claim: CellClaim, within: Callable[[Term], Term]) -> Term:
    """The cells of a claim hold numbers that are not beyond INFINITY."""
    if claim.contents != KNOWN or claim.value is None or claim.value.sort is not REAL:
        return k.TRUE
    fact = k.implies(claim.cells.where, within(claim.value))
    for low, high in reversed(claim.cells.ranges):
        fact = k.big("all", low, high, fact)
    return fact


def refuse_arithmetic(op: str, operands: Iterable[Term], loc: Loc) -> None:
    if op in ARITHMETIC and any(x in (INFINITY, k.neg(INFINITY)) for x in operands):
        raise unsupported(
            "INFINITY can be compared, chosen and stored; there are no proofs about arithmetic with it", loc
        )
