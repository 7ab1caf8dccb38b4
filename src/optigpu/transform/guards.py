"""Guards of loops: the conditions that tiles which do not divide a size leave behind."""

from __future__ import annotations

from collections.abc import Sequence

from optigpu.syntax.exprs import Binary, Expr
from optigpu.syntax.program import Body, For, If, Stmt
from optigpu.syntax.walk import inner_bodies, map_bodies, substitute
from optigpu.transform.building import folded, lit, minus
from optigpu.transform.loops import counted


def is_guard(s: Stmt) -> bool:
    return isinstance(s, If) and not s.other


def guards_at_the_end(loop: For) -> list[Expr]:
    """The guards inside a loop, each for the last iteration of this loop and of those between."""
    found: dict[Expr, None] = {}

    def walk(s: Stmt, last: dict[str, Expr]) -> None:
        if isinstance(s, For):
            c = counted(s)
            last = {**last, s.index: substitute(c.value(minus(c.count, lit(1))), last)}
        elif isinstance(s, If) and is_guard(s):
            found[folded(substitute(s.test, last))] = None
        for body in inner_bodies(s):
            for x in body:
                walk(x, last)

    walk(loop, {})
    return list(found)


def without_guards(body: Body) -> Body:
    out: list[Stmt] = []
    for s in body:
        inner = map_bodies(s, without_guards)
        out += inner.then if isinstance(inner, If) and is_guard(s) else [inner]
    return tuple(out)


def conjunction(tests: Sequence[Expr]) -> Expr:
    out = tests[0]
    for test in tests[1:]:
        out = Binary("&&", out, test)
    return out
