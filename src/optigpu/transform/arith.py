"""Arithmetic: `s.arith` simplifies sums and products."""

from __future__ import annotations

from optigpu.script.editing import replace_at
from optigpu.script.session import Session
from optigpu.script.targets import In
from optigpu.script.transformation import transformation
from optigpu.syntax.exprs import Binary, Expr, Index, Unary, is_int
from optigpu.syntax.walk import map_children, rewrite_body
from optigpu.transform.tools.simplified import collect_terms, lit, value_of


@transformation
def simplify(session: Session, function: str | None = None) -> None:
    """Collect like terms in all integer sums and products, and compute shifts of numbers (`1 << 8`).

    Before:
        for (int i = 0; i < n; i++) {
          a[i + 1 - 1] = 0.0f;
        }
    Step: s.arith.simplify()
    After:
        for (int i = 0; i < n; i++) {
          a[i] = 0.0f;
        }

    Needs: nothing. Fails: never.
    """

    if function is not None:
        session.find_all(In(function))
    program = session.program
    for path in session.outermost_searched():
        if function in (None, path.function):
            program = replace_at(program, path, *rewrite_body((session.at(path),), _simplified))
    session.update(program)


def _simplified(e: Expr) -> Expr:
    """An expression with its like terms of its largest integer sums collected; nothing else changes."""
    if isinstance(e, Binary) and e.op == "<<" and (number := value_of(e)) is not None:
        return lit(number)
    if isinstance(e, Binary | Unary) and is_int(e.type) and (not isinstance(e, Binary) or e.op in "+-*"):
        inner = map_children(e, _inside_sum)
        new = collect_terms(inner)
        return e if new == e else new
    return map_children(e, _simplified)


def _inside_sum(e: Expr) -> Expr:
    """Below a sum: the sums inside indices and calls."""
    if isinstance(e, Binary | Unary) and (not isinstance(e, Binary) or e.op in "+-*"):
        return map_children(e, _inside_sum)
    return map_children(e, _simplified) if isinstance(e, Index) or not isinstance(e, Binary | Unary) else e
