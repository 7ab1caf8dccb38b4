"""Inlining: a statement with a call replaced by the body of the called function."""

from __future__ import annotations

from optigpu.light_dataclass import replace
from optigpu.syntax.exprs import Addr, Array, Binary, Call, Cast, Expr, Index, Int, Var
from optigpu.syntax.free_names import free_vars, fresh_name, names_in
from optigpu.syntax.program import Body, CallStmt, Decl, Function, Return, Stmt, Store
from optigpu.syntax.substitution import substitute_body
from optigpu.syntax.types import Pointer
from optigpu.syntax.walk import map_children, rewrite_body


def whole_call(s: Stmt) -> Call | None:
    """The call that is the whole statement, or its whole right side."""
    match s:
        case CallStmt(call) | Store(_, Call() as call) | Decl(_, _, Call() as call) | Return(Call() as call):
            return call
        case _:
            return None


def inlined(s: Stmt, f: Function, args: tuple[Expr, ...], taken: set[str]) -> Body | None:
    """The statements that replace `s`, whose whole call calls f; None if `s` uses a result and f has none, or vice versa."""
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
    """The body of f with arguments for parameters, and fresh names for declarations whose names are taken."""
    body = f.body
    for s in body:
        if isinstance(s, Decl) and s.name in taken:
            new = fresh_name(s.name, taken | names_in(f))
            body = _renamed(body, s.name, new)
            taken = taken | {new}
    passed = dict(zip((p.name for p in f.params), zip(f.params, args)))
    pointers = {n: a for n, (p, a) in passed.items() if isinstance(p.type, Array | Pointer)}
    values = {n: with_explicit_cast(a) for n, (_, a) in passed.items() if n not in pointers}
    ranks = {f"{n} ": len(p.type.dims) if isinstance(p.type, Array) else 0 for n, (p, _) in passed.items()}
    # An argument may mention a name that is also a parameter: substitute through names that no program has.
    hidden: dict[str, Expr] = {name: Var(f"{name} ") for name in pointers}
    used = frozenset(x for a in pointers.values() for x in free_vars(a))
    body = substitute_body(body, {**hidden, **values}, used)
    return rewrite_body(body, lambda e: _pointed(e, {f"{n} ": a for n, a in pointers.items()}, ranks))


def with_explicit_cast(e: Expr) -> Expr:
    """An initial value or argument in the place of its variable: an implicit conversion must stay, so it becomes explicit."""
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
    """Replace accesses through a pointer parameter by accesses of the argument: with `m[i]` passed for p, `p[j]` is `m[i][j]`;
    with `&a[i]`, it is `a[i + j]`."""
    match e:
        case Index(Var(name), indices) if name in arguments:
            own_indices = tuple(_pointed(i, arguments, ranks) for i in indices)
            base, lead, shift = _base(arguments[name], ranks[name])
            first = own_indices if shift is None else (_sum(shift, own_indices[0]), *own_indices[1:])
            return replace(e, base=base, indices=(*lead, *first))
        case Var(name) if name in arguments:
            return arguments[name]
        case _:
            return map_children(e, lambda x: _pointed(x, arguments, ranks))


def _base(a: Expr, rank: int) -> tuple[Expr, tuple[Expr, ...], Expr | None]:
    """The array that a pointer argument points into, the leading indices, and the offset added to the first index of the
    parameter (None if there is none)."""
    match a:
        case Index(b, indices):
            return b, indices, None
        case Addr(Index(b, indices)):
            whole = (
                isinstance(b.type, Array) and 0 < len(b.type.dims) - len(indices) == rank
            )  # not a pointer to one element
            return (b, indices, None) if whole else (b, indices[:-1], indices[-1])
        case Addr(inner):
            return _base(inner, rank)
        case _:
            return a, (), None


def _sum(a: Expr, b: Expr) -> Expr:
    return b if a == Int(0) else a if b == Int(0) else Binary("+", a, b, type=a.type)
