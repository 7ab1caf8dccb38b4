"""Functions that are declared by their contract alone: there is no code to emit for them."""

from __future__ import annotations

from collections.abc import Iterable

from optigpu.syntax.diagnostic import Label, input_error
from optigpu.syntax.exprs import Call
from optigpu.syntax.program import Function, Program
from optigpu.syntax.walk import body_subexpressions


def names_with_code(program: Program, names: Iterable[str]) -> list[str]:
    """The named functions without those that have no body, after a look at what they call."""
    functions = {f.name: f for f in program.flat_items() if isinstance(f, Function)}
    kept = [name for name in names if not functions[name].declared_only]
    seen: set[str] = set()
    waiting = list(kept)
    while waiting:
        f = functions[waiting.pop()]
        if f.name not in seen:
            seen.add(f.name)
            waiting += [call.func for call in _calls(f, functions)]
    return kept


def _calls(f: Function, functions: dict[str, Function]) -> list[Call]:
    """The calls of functions of the program. One that has no body cannot be emitted."""
    calls = [e for e in body_subexpressions(f.body) if isinstance(e, Call) and e.func in functions]
    for call in calls:
        callee = functions[call.func]
        if callee.declared_only:
            raise input_error(
                "OG407",
                f"`{callee.name}` is declared by its contract alone: there is no code to call",
                call.loc,
                labels=(Label(callee.loc, "admitted here, without a body"),),
                help="write its body, or call a built-in function instead",
            )
    return calls
