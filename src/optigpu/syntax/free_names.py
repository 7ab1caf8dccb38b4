"""Names that occur in syntax: free and bound variables, declared names, and fresh names."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from optigpu.syntax.exprs import Array, BigOp, Call, Expr, Forall, Fun, Group, ProofType, Type, Var
from optigpu.syntax.program import Assert, Body, Clause, Decl, For, Function, Ghost, Stmt
from optigpu.syntax.walk import children, inner_bodies, statements, stmt_exprs, subexpressions


def free_vars(e: Expr) -> set[str]:
    """The free names of an expression, including those of applied functions."""
    out: set[str] = set()
    _add_free_vars(e, frozenset(), out)
    return out


def _add_free_vars(e: Expr, bound: frozenset[str], out: set[str]) -> None:
    stack = [e]
    while stack:
        x = stack.pop()
        match x:
            case Var():
                if x.name not in bound:
                    out.add(x.name)
                continue
            case Call():
                if x.func not in bound:
                    out.add(x.func)
            case Fun() | Forall() | BigOp() | Group():
                for part, names in _scoped_children(x, bound):
                    _add_free_vars(part, names, out)
                continue
            case _:
                pass
        stack.extend(children(x))


def _scoped_children(e: Expr, bound: frozenset[str]) -> list[tuple[Expr, frozenset[str]]]:
    """The immediate sub-expressions, each with the names that are bound around it."""
    out: list[tuple[Expr, frozenset[str]]] = []
    match e:
        case Fun(params, body) | Forall(params, body):
            for p in params:
                if isinstance(p.type, ProofType):
                    out.append((p.type.prop, bound))
                bound |= {p.name}
            out.append((body, bound))
        case BigOp(_, binders, body):
            for b in binders:
                out.append((b.range, bound))
                bound |= {b.name}
            out.append((body, bound))
        case Group(index, range_, body):
            out += [(range_, bound), (body, bound | {index})]
        case _:
            out += [(x, bound) for x in children(e)]
    return out


def scoped_subexpressions(e: Expr) -> Iterator[tuple[Expr, frozenset[str]]]:
    """As `subexpressions`, each with the names that the expression binds around it."""
    stack = [(e, frozenset[str]())]
    while stack:
        x, bound = stack.pop()
        yield x, bound
        stack.extend(reversed(_scoped_children(x, bound)))


def type_free_vars(t: Type | None) -> set[str]:
    """The free names of the expressions in a type."""
    out: set[str] = set()
    if isinstance(t, Array):
        for d in t.dims:
            if d is not None:
                out |= free_vars(d)
    elif isinstance(t, ProofType):
        out |= free_vars(t.prop)
    return out


def body_free_vars(body: Body) -> set[str]:
    """The names that statements use without declaring them before."""
    out: set[str] = set()
    bound: set[str] = set()
    for s in body:
        out |= _stmt_free(s) - bound
        bound |= bound_after(s)
    return out


def _stmt_free(s: Stmt) -> set[str]:
    out: set[str] = set()
    match s:
        case For(index, r, body, _, contract):
            for e in (r.start, r.bound, r.amount):
                out |= free_vars(e)
            inner = body_free_vars(body) | clause_free_vars(contract)
            return out | (inner - {index})
        case _:
            for e in stmt_exprs(s):
                out |= free_vars(e)
            for body in inner_bodies(s):
                out |= body_free_vars(body)
    return out


def clause_free_vars(contract: tuple[Clause, ...]) -> set[str]:
    """The free names of a contract: those that no earlier item of it introduces."""
    out: set[str] = set()
    introduced: set[str] = set()
    for c in contract:
        for item in c.items:
            out |= free_vars(item.body) - introduced
            if item.name is not None:
                introduced.add(item.name)
    return out


def bound_after(s: Stmt) -> set[str]:
    """The names that a statement declares for the statements after it in its body."""
    match s:
        case Decl(name):
            return {name}
        case Ghost(_, _, binds):
            return {name for name, _ in binds}
        case Assert(items):
            return {i.name for i in items if i.name is not None}
        case _:
            return set()


def names_in(function: Function) -> set[str]:
    """All names that occur in a function, bound or free, which a fresh name must avoid."""
    names = {p.name for p in function.params} | {function.name}
    for p in function.params:
        names |= type_free_vars(p.type)
    return names | clause_names(function.contract) | body_names(function.body)


def body_names(body: Body) -> set[str]:
    """All names that occur in statements, bound or free."""
    names: set[str] = set()
    for s in statements(body):
        names |= bound_after(s)
        if isinstance(s, For):
            names |= {s.index} | clause_names(s.contract)
        for e in stmt_exprs(s):
            names |= expr_names(e)
    return names


def clause_names(contract: tuple[Clause, ...]) -> set[str]:
    items = [i for c in contract for i in c.items]
    return {i.name for i in items if i.name is not None}.union(*(expr_names(i.body) for i in items))


def expr_names(e: Expr) -> set[str]:
    names: set[str] = set()
    for x in subexpressions(e):
        match x:
            case Var(name) | Call(name):
                names.add(name)
            case Fun(params) | Forall(params):
                names.update(p.name for p in params)
            case BigOp(_, binders):
                names.update(b.name for b in binders)
            case Group(index):
                names.add(index)
            case _:
                pass
    return names


def fresh_name(base: str, taken: Collection[str]) -> str:
    """The first of `base`, `base1`, `base2`, … that is not taken. Digits at the end of `base` are replaced."""
    if base not in taken:
        return base
    stem = re.sub(r"\d+$", "", base) or base
    n = 1
    while f"{stem}{n}" in taken:
        n += 1
    return f"{stem}{n}"
