"""Recursive functions are not in the language."""

from __future__ import annotations

from optigpu.syntax.diagnostic import input_error
from optigpu.syntax.exprs import Call
from optigpu.syntax.program import Function, Ghost, Program
from optigpu.syntax.source import Loc
from optigpu.syntax.walk import statements, stmt_exprs, subexpressions


def reject_recursion(program: Program) -> None:
    """Raise OG112 for the first cycle of calls, ghosts included."""
    calls = _call_graph(program)
    done: set[str] = set()

    def visit(name: str, path: tuple[str, ...]) -> None:
        for callee, loc in calls[name].items():
            if callee in path:
                cycle = " → ".join([*path[path.index(callee) :], callee])
                raise input_error("OG112", f"recursion is not in the language: {cycle}", loc, help="write a loop")
            if callee not in done:
                visit(callee, (*path, callee))
        done.add(name)

    for name in calls:
        visit(name, (name,))


def _call_graph(program: Program) -> dict[str, dict[str, Loc]]:
    """The functions of the program that each of them calls, and where it first does."""
    functions = {f.name: f for f in program.flat_items() if isinstance(f, Function)}
    calls: dict[str, dict[str, Loc]] = {}
    for f in functions.values():
        calls[f.name] = {}
        for s in statements(f.body):
            for e in stmt_exprs(s):
                for x in subexpressions(e):
                    if isinstance(x, Call) and x.func in functions:
                        calls[f.name].setdefault(x.func, x.loc)
            if isinstance(s, Ghost) and s.func in functions:
                calls[f.name].setdefault(s.func, s.loc)
    return calls
