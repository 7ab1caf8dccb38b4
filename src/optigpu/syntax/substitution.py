"""Capture-avoiding substitution in expressions and statements."""

from __future__ import annotations

from collections.abc import Mapping

from optigpu.light_dataclass import replace
from optigpu.syntax.exprs import BigOp, Call, Expr, Forall, Fun, Group, Var
from optigpu.syntax.free_names import (
    body_free_vars,
    body_names,
    bound_after,
    clause_names,
    expr_names,
    free_vars,
    fresh_name,
)
from optigpu.syntax.program import Assert, Body, Decl, For, Ghost, Stmt
from optigpu.syntax.walk import map_binder, map_bodies, map_children, map_clauses, map_range, map_stmt_exprs, map_tuple

Substitution = Mapping[str, Expr]


def substitute(e: Expr, sub: Substitution) -> Expr:
    """Replace free variables. Bound variables that would capture are renamed; an applied `fun` is beta-reduced."""
    if not sub:
        return e
    return _subst(e, dict(sub), _free_in_values(sub))


def _free_in_values(sub: Substitution) -> set[str]:
    out: set[str] = set()
    for v in sub.values():
        out |= free_vars(v)
    return out


def _subst(e: Expr, sub: dict[str, Expr], incoming: set[str]) -> Expr:
    match e:
        case Var(name):
            match sub.get(name, e):
                case Var(new, type=None):  # a renaming keeps the type and the place
                    return replace(e, name=new)
                case other:
                    return other
        case Call(func, args):
            new_args = map_tuple(args, lambda a: _subst(a, sub, incoming))
            target = sub.get(func)
            match target:
                case None:
                    return e if new_args is args else replace(e, args=new_args)
                case Var(name):
                    return replace(e, func=name, args=new_args)
                case Fun(params, body) if len(params) == len(new_args):
                    return substitute(body, dict(zip((p.name for p in params), new_args)))
                case _:
                    raise ValueError(f"{func} is applied, so only a function can stand for it")
        case Fun(params, body) | Forall(params, body):
            sub, new_params = dict(sub), []
            for p in params:
                p = map_binder(p, lambda x: _subst(x, sub, incoming))
                name = _enter(p.name, sub, incoming, body)
                new_params.append(p if name == p.name else replace(p, name=name))
            new_body = _subst(body, sub, incoming) if sub else body
            return replace(e, params=tuple(new_params), body=new_body)
        case BigOp(_, binders, body):
            sub, new_binders = dict(sub), []
            for b in binders:
                range_ = _subst(b.range, sub, incoming)
                name = _enter(b.name, sub, incoming, body)
                new_binders.append(replace(b, name=name, range=range_))
            new_body = _subst(body, sub, incoming) if sub else body
            return replace(e, binders=tuple(new_binders), body=new_body)
        case Group(index, range_, body):
            new_range = _subst(range_, sub, incoming)
            sub = dict(sub)
            name = _enter(index, sub, incoming, body)
            return replace(e, index=name, range=new_range, body=_subst(body, sub, incoming) if sub else body)
        case _:
            return map_children(e, lambda x: _subst(x, sub, incoming))


def _enter(name: str, sub: dict[str, Expr], incoming: set[str], body: Expr) -> str:
    """Go under a binder: it shadows its name in `sub`, or is renamed if it would capture. Updates `sub`; returns its new name."""
    sub.pop(name, None)
    if not sub or name not in incoming:
        return name
    new = fresh_name(name, incoming | expr_names(body) | set(sub))  # also different from binders further in
    sub[name] = Var(new)
    return new


def substitute_body(body: Body, sub: Substitution, avoid: frozenset[str] = frozenset()) -> Body:
    """Substitute in statements. Declarations and loop indices that would capture, or whose names are in `avoid`, are renamed."""
    return _subst_body(body, dict(sub), _free_in_values(sub) | avoid) if sub else body


def _subst_body(body: Body, sub: dict[str, Expr], incoming: set[str]) -> Body:
    out: list[Stmt] = []
    sub = dict(sub)
    for i, s in enumerate(body):
        s = _subst_stmt(s, sub, incoming)
        for name in sorted(bound_after(s)):
            sub.pop(name, None)
            if sub and name in incoming and sub.keys() & body_free_vars(body[i:]):
                new = fresh_name(name, incoming | body_names(body) | set(sub))
                s = rename_declared(s, name, new)
                sub[name] = Var(new)
        out.append(s)
    return tuple(out) if any(a is not b for a, b in zip(body, out)) else body


def rename_declared(s: Stmt, name: str, new: str) -> Stmt:
    """Rename what a statement declares, without the uses of it."""
    match s:
        case Decl():
            return replace(s, name=new)
        case Ghost(_, _, binds):
            return replace(s, binds=tuple((new if n == name else n, r) for n, r in binds))
        case Assert(items):
            return replace(s, items=tuple(replace(i, name=new) if i.name == name else i for i in items))
        case _:
            return s


def _subst_stmt(s: Stmt, sub: dict[str, Expr], incoming: set[str]) -> Stmt:
    def f(e: Expr) -> Expr:
        return _subst(e, sub, incoming)

    if isinstance(s, For):
        range_ = map_range(s.range, f)
        inner = dict(sub)
        inner.pop(s.index, None)
        index = s.index
        if inner and index in incoming:
            index = fresh_name(index, incoming | body_names(s.body) | clause_names(s.contract) | set(sub))
            inner[s.index] = Var(index)
        contract = map_clauses(s.contract, lambda e: _subst(e, inner, incoming))
        new_body = _subst_body(s.body, inner, incoming) if inner else s.body
        if range_ is s.range and contract is s.contract and new_body is s.body and index == s.index:
            return s
        return replace(s, index=index, range=range_, contract=contract, body=new_body)
    s = map_stmt_exprs(s, f)
    return map_bodies(s, lambda b: _subst_body(b, sub, incoming))
