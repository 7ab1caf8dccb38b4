"""Changing what variables hold: shifted or scaled by a value that stays the same meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from optigpu.script.editing import edit_body
from optigpu.script.handles import Handle
from optigpu.script.targets import TargetLike
from optigpu.script.transformation import TransformGroup, transformation
from optigpu.syntax.exprs import Binary, Expr, Index, Var, is_float
from optigpu.syntax.program import Body, Decl, Stmt, Store
from optigpu.syntax.types import Scalar
from optigpu.syntax.walk import map_bodies, map_stmt_exprs, rewrite, root_name
from optigpu.transform.loop_nests import refuse
from optigpu.transform.simplified import Size, expression, gather

Change = Callable[[Expr], Expr]


class AccessTransforms(TransformGroup):
    name = "accesses"

    @transformation
    def shift_var(self, target: TargetLike, *, factor: Size, inv: bool = False) -> Handle:
        """Let a variable (or local array) hold its value plus `factor`; minus it with `inv`. Sums are simplified.

        Before:
            float s = b[0];
            s += b[1];
            a[0] = s;
        Step: s.accesses.shift_var("s", factor="b[0]", inv=True)
        After:
            float s = 0.0f;
            s += b[1];
            a[0] = s + b[0];

        Needs: a declaration; `factor` keeps its value while the variable lives.
        Fails: when it does not.
        """
        f = expression(factor)
        there, back = ("-", "+") if inv else ("+", "-")
        return self._change(
            target,
            lambda e: gather(Binary(there, e, f)),
            lambda e: gather(Binary(back, e, f)),
            lambda op, e: e if op in ("+", "-") else None,
            gather,
        )

    @transformation
    def scale_var(self, target: TargetLike, *, factor: Size, inv: bool = False) -> Handle:
        """Let a variable (or local array) hold its value times `factor`; divided by it with `inv`.

        Before:
            float s = b[0] * 4.0f;
            a[0] = s;
        Step: s.accesses.scale_var("s", factor="4.0f", inv=True)
        After:
            float s = b[0] * 4.0f / 4.0f;
            a[0] = s * 4.0f;

        Needs: a declaration of floats; `factor` keeps its value and is not zero. Fails: when it may be zero.
        """
        f = expression(factor)
        there, back = ("/", "*") if inv else ("*", "/")
        return self._change(
            target,
            lambda e: Binary(there, e, f),
            lambda e: Binary(back, e, f),
            lambda op, e: Binary(there, e, f) if op in ("+", "-") else e if op in ("*", "/") else None,
            lambda e: e,
        )

    def _change(
        self,
        target: TargetLike,
        there: Change,
        back: Change,
        compound: Callable[[str, Expr], Expr | None],
        tidy: Change,
    ) -> Handle:
        place = self.session.find(target, "decl")
        decl = self.session.at(place)
        if not isinstance(decl, Decl):
            raise refuse("this is not a declaration", decl)
        name, i = decl.name, place.index

        def reading(e: Expr) -> Expr:
            def one(x: Expr) -> Expr:
                is_scalar = isinstance(decl.type, Scalar)
                if (x == Var(name)) if is_scalar else (isinstance(x, Index) and x.base == Var(name)):
                    return back(x)
                return x

            new = rewrite(e, one)
            return new if new is e else tidy(new)

        def statement(s: Stmt) -> Stmt:
            match s:
                case Store(target, value, op) if root_name(target) == name:
                    value = reading(value)
                    if op is None:
                        return _compound(replace(s, value=there(value)))
                    kept = compound(op, value)
                    if kept is not None:
                        return replace(s, value=kept)
                    return replace(s, value=there(Binary(op, back(target), value)), op=None)
                case Decl() if s is not decl and s.name == name:
                    raise refuse(f"`{name}` is declared again", s)
                case _:
                    s = map_stmt_exprs(s, reading)
                    return _compound(map_bodies(s, body)) if isinstance(s, Store) else map_bodies(s, body)

        def body(b: Body) -> Body:
            return tuple(statement(s) for s in b)

        new_decl = decl
        if decl.init is not None and isinstance(decl.type, Scalar):
            value = there(decl.init)
            new_decl = replace(decl, init=value)
        self.session.update(edit_body(self.session.program, place, lambda b: (*b[:i], new_decl, *body(b[i + 1 :]))))
        return self.session.handle(place)


def _compound(s: Stmt) -> Stmt:
    """`x = x + e` as `x += e`."""
    match s:
        case Store(target, Binary("+", left, right), None) if left == target:
            return replace(s, value=right, op="+")
        case Store(target, Binary("+", left, right), None) if right == target and is_float(target.type):
            return replace(s, value=left, op="+")
        case _:
            return s
