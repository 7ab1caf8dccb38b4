"""Changes of representation: with `s.accesses` a variable holds its value shifted or scaled."""

from __future__ import annotations

from collections.abc import Callable

from optigpu.light_dataclass import dataclass, replace
from optigpu.script.handles import Handle
from optigpu.script.session import Session
from optigpu.script.targets import TargetLike
from optigpu.script.transformation import transformation
from optigpu.syntax.exprs import Binary, Expr, Index, Var, is_float
from optigpu.syntax.program import Assert, Body, Decl, For, Ghost, Stmt, Store
from optigpu.syntax.types import Scalar
from optigpu.syntax.walk import map_bodies, map_range, map_stmt_exprs, rewrite, root_name
from optigpu.transform.tools.c_text import Size, as_expression
from optigpu.transform.tools.changed_permissions import ChangedPermissions, annotations_on
from optigpu.transform.tools.refusal import refuse
from optigpu.transform.tools.simplified import collect_terms
from optigpu.transform.tools.values_before import value_before


@transformation
def shift_var(session: Session, target: TargetLike, *, factor: Size, inv: bool = False) -> Handle:
    """Let a variable or a local array hold its value plus `factor`; with `inv`, its value minus `factor`. Sums are simplified.

    Before:
        float s = b[0];
        s += b[1];
        a[0] = s;
    Step: s.accesses.shift_var("s", factor="b[0]", inv=True)
    After:
        float s = 0.0f;
        s += b[1];
        a[0] = s + b[0];

    Needs: a declaration. Fails: when the value of `factor` changes while the variable is in use.
    Returns: the declaration.
    """
    encode, decode = ("-", "+") if inv else ("+", "-")
    shift = Representation(
        as_expression(factor),
        encode=lambda e, f: collect_terms(Binary(encode, e, f)),
        decode=lambda e, f: collect_terms(Binary(decode, e, f)),
        operand=lambda op, e, _: e if op in ("+", "-") else None,
        simplify=collect_terms,
    )
    return _change(session, target, shift)


@transformation
def scale_var(session: Session, target: TargetLike, *, factor: Size, inv: bool = False) -> Handle:
    """Let a variable or a local array hold its value times `factor`; with `inv`, its value divided by `factor`.

    Before:
        float s = b[0] * 4.0f;
        a[0] = s;
    Step: s.accesses.scale_var("s", factor="4.0f", inv=True)
    After:
        float s = b[0] * 4.0f / 4.0f;
        a[0] = s * 4.0f;

    Needs: a declaration of floats; the value of `factor` does not change while the variable is in use. Fails: when it may be zero.
    Returns: the declaration.
    """
    encode, decode = ("/", "*") if inv else ("*", "/")
    scale = Representation(
        as_expression(factor),
        encode=lambda e, f: Binary(encode, e, f),
        decode=lambda e, f: Binary(decode, e, f),
        operand=lambda op, e, f: Binary(encode, e, f) if op in ("+", "-") else e if op in ("*", "/") else None,
        simplify=lambda e: e,
    )
    return _change(session, target, scale)


@dataclass(frozen=True, slots=True)
class Representation:
    """How a variable holds a value, for a factor: `encode` gives what it holds, `decode` the value again."""

    factor: Expr
    encode: Callable[[Expr, Expr], Expr]
    decode: Callable[[Expr, Expr], Expr]
    operand: Callable[
        [str, Expr, Expr], Expr | None
    ]  # the operand of `x op= e` on what x holds; None if there is no such update
    simplify: Callable[[Expr], Expr]  # of an expression that reads the variable


def _change(session: Session, target: TargetLike, representation: Representation) -> Handle:
    path = session.find(target, "decl")
    decl = session.at(path)
    if not isinstance(decl, Decl):
        raise refuse("this is not a declaration", decl)
    new, i = decl, path.index
    if decl.init is not None and isinstance(decl.type, Scalar):
        new = replace(decl, init=representation.encode(decl.init, representation.factor))
    rest = session.around(path)[i + 1 :]
    value = value_before(session, path, representation.factor) if annotations_on(rest, decl.name) else None
    permissions = ChangedPermissions(decl.name, representation.encode, value, representation.simplify)
    rest = RepresentationChange(decl, representation).body(permissions.body(rest, session.annotation_changes))
    session.edit_body(path, lambda b: (*b[:i], new, *rest))
    return session.handle(path)


@dataclass(frozen=True, slots=True)
class RepresentationChange:
    """Rewrites the statements after a declaration for another representation of the variable."""

    decl: Decl
    representation: Representation

    def body(self, b: Body) -> Body:
        return tuple(self.statement(s) for s in b)

    def statement(self, s: Stmt) -> Stmt:
        match s:
            case Ghost() | Assert():
                return s
            case For():
                return replace(s, range=map_range(s.range, self._reading), body=self.body(s.body))
            case Store(target) if root_name(target) == self.decl.name:
                return self._store(s)
            case Decl() if s is not self.decl and s.name == self.decl.name:
                raise refuse(f"`{s.name}` is declared again", s)
            case _:
                changed = map_bodies(map_stmt_exprs(s, self._reading), self.body)
                return _compound(changed) if isinstance(changed, Store) else changed

    def _store(self, s: Store) -> Stmt:
        """An assignment to the variable."""
        r, value = self.representation, self._reading(s.value)
        if s.op is None:
            return _compound(replace(s, value=r.encode(value, r.factor)))
        operand = r.operand(s.op, value, r.factor)
        if operand is not None:
            return replace(s, value=operand)
        return replace(s, value=r.encode(Binary(s.op, r.decode(s.target, r.factor), value), r.factor), op=None)

    def _reading(self, e: Expr) -> Expr:
        """An expression in which every read of the variable is decoded."""

        r = self.representation

        def decoded(x: Expr) -> Expr:
            return r.decode(x, r.factor) if self._is_read(x) else x

        new = rewrite(e, decoded)
        return new if new is e else r.simplify(new)

    def _is_read(self, x: Expr) -> bool:
        if isinstance(self.decl.type, Scalar):
            return x == Var(self.decl.name)
        return isinstance(x, Index) and x.base == Var(self.decl.name)


def _compound(s: Store) -> Store:
    """`x = x + e` as `x += e`."""
    match s:
        case Store(target, Binary("+", left, right), None) if left == target:
            return replace(s, value=right, op="+")
        case Store(target, Binary("+", left, right), None) if right == target and is_float(target.type):
            return replace(s, value=left, op="+")
        case _:
            return s
