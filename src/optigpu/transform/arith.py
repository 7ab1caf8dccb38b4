"""Arithmetic: `s.arith` simplifies sums and products."""

from __future__ import annotations

from optigpu.light_dataclass import replace
from optigpu.script.editing import edit_function
from optigpu.script.session import Session
from optigpu.script.transformation import transformation
from optigpu.syntax.exprs import Binary, Expr, Index, Unary, is_int
from optigpu.syntax.program import Function
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

    def simplified(f: Function) -> Function:
        return replace(f, body=rewrite_body(f.body, _simplified))

    for f in session.program.functions():
        if function in (None, f.name) and session.only in (None, f.name):
            session.update(edit_function(session.program, f.name, simplified))


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
