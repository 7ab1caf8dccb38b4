"""Inlining of device functions that a group of threads calls together.

Their thread loops divide the calling group, so the mapping to threads is known only at the call; and registers that they share with
their caller have no address. Functions for single threads remain functions.
"""

from __future__ import annotations

from optigpu.light_dataclass import replace
from optigpu.syntax.diagnostic import input_error
from optigpu.syntax.exprs import Addr, Binary, Call, Expr, Index, Int, Var
from optigpu.syntax.free_names import body_free_vars, body_names, fresh_name
from optigpu.syntax.inlining import inlined, whole_call
from optigpu.syntax.program import Block, Body, Decl, For, Function, Param, Stmt
from optigpu.syntax.types import Scalar
from optigpu.syntax.walk import map_bodies, reads_memory, statements, stmt_exprs, subexpressions


def is_for_groups(f: Function) -> bool:
    return f.token("ThreadsCtx") is not None


def without_group_calls(body: Body, functions: dict[str, Function]) -> Body:
    """The body with all such calls inlined. Every statement is copied: thread loops are distinguished by identity."""
    names = {s.name for s in statements(body) if isinstance(s, Decl)} | body_free_vars(body)
    names |= {s.index for s in statements(body) if isinstance(s, For)}

    def visit(b: Body) -> Body:
        out: list[Stmt] = []
        for s in b:
            call = whole_call(s)
            if call is not None and call.func in functions and is_for_groups(functions[call.func]):
                out += visit(_put(s, call, functions[call.func], names))
            else:
                out.append(replace(map_bodies(s, visit)))
        return tuple(out)

    new = visit(body)
    for s in statements(new):
        for e in (y for x in stmt_exprs(s) for y in subexpressions(x)):
            if isinstance(e, Call) and e.func in functions and is_for_groups(functions[e.func]):
                raise input_error(
                    "OG401", f"the call of `{e.func}` is a part of an expression", e.loc, help="name its result"
                )
    return new


def _put(s: Stmt, call: Call, f: Function, names: set[str]) -> Body:
    """Inline one call. Arguments, and indices in pointer arguments, are evaluated before it: the function may overwrite what they
    read."""
    named: list[Stmt] = []

    def constant(e: Expr, t: Scalar, p: Param) -> Expr:
        name = _named(p, names)
        named.append(Decl(name, t, e, True))
        return Var(name, type=t)

    def pointer(e: Expr, p: Param) -> Expr:
        match e:
            case Addr(arg):
                return replace(e, arg=pointer(arg, p))
            case Index(base, indices):
                return replace(e, base=pointer(base, p), indices=tuple(number(i, p) for i in indices))
            case Binary(_, left, right):
                return replace(e, left=pointer(left, p), right=number(right, p))
            case _:
                return e

    def number(e: Expr, p: Param) -> Expr:
        return constant(e, e.type, p) if isinstance(e.type, Scalar) and reads_memory(e) else e

    args: list[Expr] = []
    for p, a in zip(f.params, call.args):
        if not isinstance(p.type, Scalar):
            args.append(pointer(a, p))
        else:
            args.append(a if isinstance(a, Int | Var) else constant(a, p.type, p))
    body = inlined(s, f, tuple(args), names)
    if body is None:
        raise input_error("OG401", f"the result of `{f.name}` has no place here", s.loc)
    names |= body_names(body)  # nested calls must not reuse them
    if isinstance(s, Decl):
        return (*named, *body)
    return (Block((*named, *body), id=s.id),)


def _named(p: Param, names: set[str]) -> str:
    name = fresh_name(p.name, names)
    names.add(name)
    return name
