"""A call replaced by the body of what it calls."""

from __future__ import annotations

from dataclasses import replace

from optigpu.syntax.exprs import Addr, Array, Binary, Call, Cast, Expr, Index, Int, Var
from optigpu.syntax.free_names import free_vars, fresh_name, names_in
from optigpu.syntax.program import Body, CallStmt, Decl, Function, Return, Stmt, Store
from optigpu.syntax.substitution import substitute_body
from optigpu.syntax.types import Pointer
from optigpu.syntax.walk import map_children, rewrite_body


def whole_call(s: Stmt) -> Call | None:
    """The call that a statement consists of, or that is its whole right side."""
    match s:
        case CallStmt(call) | Store(_, Call() as call) | Decl(_, _, Call() as call) | Return(Call() as call):
            return call
        case _:
            return None


def inlined(s: Stmt, f: Function, args: tuple[Expr, ...], taken: set[str]) -> Body | None:
    """What a statement with a whole call of f does; None if it wants a result that f does not have, or the other way round."""
    body = instantiated(f, args, taken)
    value: Expr | None = None
    if body and isinstance(body[-1], Return):
        value, body = body[-1].value, body[:-1]
    if value is None:
        return body if isinstance(s, CallStmt) else None
    match s:
        case Store() | Return():
            return (*body, replace(s, value=value))
        case Decl():
            return (*body, replace(s, init=value))
        case _:
            return None


def instantiated(f: Function, args: tuple[Expr, ...], taken: set[str]) -> Body:
    """The body with arguments for parameters and fresh names for what it declares."""
    body = f.body
    for s in body:
        if isinstance(s, Decl) and s.name in taken:
            new = fresh_name(s.name, taken | names_in(f))
            body = _renamed(body, s.name, new)
            taken = taken | {new}
    given = dict(zip((p.name for p in f.params), zip(f.params, args)))
    pointers = {n: a for n, (p, a) in given.items() if isinstance(p.type, Array | Pointer)}
    values = {n: explicit(a) for n, (_, a) in given.items() if n not in pointers}
    ranks = {f"{n} ": len(p.type.dims) if isinstance(p.type, Array) else 0 for n, (p, _) in given.items()}
    # Names that are both a parameter and free in an argument must not meet: go through names no program has.
    hidden: dict[str, Expr] = {name: Var(f"{name} ") for name in pointers}
    used = frozenset(x for a in pointers.values() for x in free_vars(a))
    body = substitute_body(body, {**hidden, **values}, used)
    return rewrite_body(body, lambda e: _pointed(e, {f"{n} ": a for n, a in pointers.items()}, ranks))


def explicit(e: Expr) -> Expr:
    """An initial value or argument to be put where the variable stood: it is converted to the same type as before."""
    return replace(e, implicit=False) if isinstance(e, Cast) else e


def _renamed(body: Body, old: str, new: str) -> Body:
    out: list[Stmt] = []
    seen = False
    for s in body:
        if isinstance(s, Decl) and s.name == old:
            s, seen = replace(s, name=new), True
            out.append(s)
        else:
            out.append(substitute_body((s,), {old: Var(new)})[0] if seen else s)
    return tuple(out)


def _pointed(e: Expr, arguments: dict[str, Expr], ranks: dict[str, int]) -> Expr:
    """Accesses through a pointer parameter as accesses of what was passed: [j] of m[i] is m[i][j], [j] of &a[i] is a[i + j]."""
    match e:
        case Index(Var(name), indices) if name in arguments:
            own = tuple(_pointed(i, arguments, ranks) for i in indices)
            base, lead, shift = _base(arguments[name], ranks[name])
            first = own if shift is None else (_sum(shift, own[0]), *own[1:])
            return replace(e, base=base, indices=(*lead, *first))
        case Var(name) if name in arguments:
            return arguments[name]
        case _:
            return map_children(e, lambda x: _pointed(x, arguments, ranks))


def _base(a: Expr, rank: int) -> tuple[Expr, tuple[Expr, ...], Expr | None]:
    """What a pointer argument points into: the array, the indices before the parameter's, and where its first one starts."""
    match a:
        case Index(b, indices):
            return b, indices, None
        case Addr(Index(b, indices)):
            whole = isinstance(b.type, Array) and len(b.type.dims) - len(indices) == rank
            return (b, indices, None) if whole else (b, indices[:-1], indices[-1])
        case Addr(inner):
            return _base(inner, rank)
        case _:
            return a, (), None


def _sum(a: Expr, b: Expr) -> Expr:
    return b if a == Int(0) else a if b == Int(0) else Binary("+", a, b, type=a.type)
