"""Arithmetic: sums and products written more simply."""

from __future__ import annotations

from dataclasses import replace

from optigpu.script.editing import edit_function
from optigpu.script.transformation import TransformGroup, transformation
from optigpu.syntax.exprs import Binary, Expr, Index, Unary, is_int
from optigpu.syntax.walk import map_children, rewrite_body
from optigpu.transform.simplified import gather


class ArithmeticTransforms(TransformGroup):
    name = "arith"

    @transformation
    def simplify(self, function: str | None = None) -> None:
        """Gather equal terms in all integer sums and products.

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
        for f in self.session.program.functions():
            if function in (None, f.name) and (self.session.only in (None, f.name)):
                self.session.update(
                    edit_function(
                        self.session.program, f.name, lambda g: replace(g, body=rewrite_body(g.body, _simplified))
                    )
                )


def _simplified(e: Expr) -> Expr:
    """The largest integer sums, as gathered; nothing else changes."""
    if isinstance(e, Binary | Unary) and is_int(e.type) and (not isinstance(e, Binary) or e.op in "+-*"):
        inner = map_children(e, _inner)
        new = gather(inner)
        return e if new == e else new
    return map_children(e, _simplified)


def _inner(e: Expr) -> Expr:
    """Below a sum: the sums inside indices and calls."""
    if isinstance(e, Binary | Unary) and (not isinstance(e, Binary) or e.op in "+-*"):
        return map_children(e, _inner)
    return map_children(e, _simplified) if isinstance(e, Index) or not isinstance(e, Binary | Unary) else e
