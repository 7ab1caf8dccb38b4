"""Equality of expressions up to the names of bound variables."""

from __future__ import annotations

from optigpu.syntax.exprs import BigOp, Bool, Call, Expr, Forall, Fun, Group, ProofType, Type, Var
from optigpu.syntax.walk import children, map_children


def alpha_equal(a: Expr, b: Expr) -> bool:
    """Whether one expression becomes the other by renaming bound variables."""
    return _alpha(a, b, {}, {})


def _alpha(a: Expr, b: Expr, left: dict[str, int], right: dict[str, int]) -> bool:
    """`left` and `right` number the variables bound around `a` and `b`: bound variables are equal if their numbers are."""
    if type(a) is not type(b):
        return False
    match a, b:
        case Var(x), Var(y):
            return left.get(x, x) == right.get(y, y)
        case Call(f, xs), Call(g, ys):
            same = left.get(f, f) == right.get(g, g) and len(xs) == len(ys)
            return same and all(_alpha(x, y, left, right) for x, y in zip(xs, ys))
        case (Fun(ps, x), Fun(qs, y)) | (Forall(ps, x), Forall(qs, y)):
            if len(ps) != len(qs):
                return False
            for p, q in zip(ps, qs):
                if not _alpha_types(p.type, q.type, left, right):
                    return False
                left, right = _bind(left, right, p.name, q.name)
            return _alpha(x, y, left, right)
        case BigOp(f, bs, x), BigOp(g, cs, y):
            if f != g or len(bs) != len(cs):
                return False
            for b1, b2 in zip(bs, cs):
                if not _alpha(b1.range, b2.range, left, right):
                    return False
                left, right = _bind(left, right, b1.name, b2.name)
            return _alpha(x, y, left, right)
        case Group(i, r, x, d), Group(j, q, y, e):
            if d != e or not _alpha(r, q, left, right):
                return False
            left, right = _bind(left, right, i, j)
            return _alpha(x, y, left, right)
        case _:
            return same_head(a, b) and all(_alpha(x, y, left, right) for x, y in zip(children(a), children(b)))


def _alpha_types(a: Type | None, b: Type | None, left: dict[str, int], right: dict[str, int]) -> bool:
    if isinstance(a, ProofType) and isinstance(b, ProofType):
        return _alpha(a.prop, b.prop, left, right)
    return a == b


def _bind(left: dict[str, int], right: dict[str, int], x: str, y: str) -> tuple[dict[str, int], dict[str, int]]:
    level = len(left) + len(right)
    return {**left, x: level}, {**right, y: level}


def same_head(a: Expr, b: Expr) -> bool:
    """Whether two expressions are the same node up to their sub-expressions: class, operator, names and number of children."""
    return len(children(a)) == len(children(b)) and _head(a) == _head(b)


def _head(e: Expr) -> Expr:
    """The node with its sub-expressions blanked."""
    return map_children(e, lambda _: _BLANK)


_BLANK: Expr = Bool(False)
