"""Removal of code without effect from a lowered body."""

from __future__ import annotations

from optigpu.codegen.cuda.statement_lowering import is_barrier
from optigpu.light_dataclass import replace
from optigpu.syntax.builtins import INTEGER, MATH, NUMERIC
from optigpu.syntax.exprs import Call, Expr, Var
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.program import Block, Body, Decl, For, If, Stmt, Store
from optigpu.syntax.types import Scalar
from optigpu.syntax.walk import stmt_exprs, subexpressions


def without_unused(body: Body) -> Body:
    """Remove unused scalars, with the loads in their initial values, and barriers at the end of the kernel."""
    while True:
        used = names_used(body)
        new = _drop_unused(body, used)
        if new == body:
            break
        body = new
    while body and is_barrier(body[-1]):
        body = body[:-1]
    return joined(body)


def joined(body: Body) -> Body:
    """Join `float x; …; x = e;` to `float x = e;` where only declarations stand in between."""
    out: list[Stmt] = []
    fresh: dict[str, Decl] = {}  # declarations without a value, followed by declarations only
    for s in body:
        match s:
            case Decl(name, _, None):
                fresh[name] = s
                out.append(s)
                continue
            case Store(Var(name), value, None) if (
                name in fresh and isinstance(fresh[name].type, Scalar) and not fresh.keys() & free_vars(value)
            ):
                out.remove(fresh[name])
                out.append(replace(fresh.pop(name), init=value))
                continue
            case For() | Block():
                out.append(replace(s, body=joined(s.body)))
            case If(_, then, other):
                out.append(replace(s, then=joined(then), other=joined(other)))
            case _:
                out.append(s)
        fresh.clear()
    return tuple(out)


def names_used(body: Body) -> set[str]:
    out: set[str] = set()
    for s in body:
        for e in stmt_exprs(s):
            out |= {x.name for x in subexpressions(e) if isinstance(x, Var)} | free_vars(e)
        match s:
            case For() | Block():
                out |= names_used(s.body)
            case If(_, then, other):
                out |= names_used(then) | names_used(other)
            case _:
                pass
    return out


def _drop_unused(body: Body, used: set[str]) -> Body:
    out: list[Stmt] = []
    for s in body:
        match s:
            case Decl(name, _, init) if name not in used and not (init is not None and has_call(init)):
                continue
            case For():
                inner = _drop_unused(s.body, used)
                if inner:
                    out.append(replace(s, body=inner))
            case Block():
                inner = _drop_unused(s.body, used)
                if any(isinstance(x, Decl) for x in inner):
                    out.append(replace(s, body=inner))
                else:
                    out.extend(inner)
            case If(_, then, other):
                yes, no = _drop_unused(then, used), _drop_unused(other, used)
                if yes or no:
                    out.append(replace(s, then=yes, other=no))
            case _:
                out.append(s)
    return tuple(out)


def has_call(e: Expr) -> bool:
    known = MATH.keys() | NUMERIC.keys() | INTEGER.keys()
    return any(isinstance(x, Call) and x.func not in known for x in subexpressions(e))
