"""What the transformations of loops share: counting iterations, wrapping and splitting bodies, carrying contracts along."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from optigpu.syntax.diagnostic import Diagnostic, InputError
from optigpu.syntax.exprs import Array, Call, Expr, Group, Int, Range, TypeOf, Var
from optigpu.syntax.free_names import body_free_vars
from optigpu.syntax.program import Body, Clause, Decl, For, Stmt, Store, ordered_hints
from optigpu.syntax.substitution import substitute
from optigpu.syntax.types import Pointer, Scalar
from optigpu.syntax.walk import map_clauses, root_name, statements
from optigpu.transform.simplified import div, gather, lit, minus, plus, times, value_of

PER_ITERATION = ("xconsumes", "xproduces", "xpreserves", "xwrites", "xreads")


def refuse(message: str, at: Stmt | None = None, help: str | None = None, code: str = "OG603") -> InputError:
    """The transformation does not apply here."""
    from optigpu.syntax.source import NOWHERE

    return InputError(Diagnostic(code, message, NOWHERE if at is None else at.loc, (), (), help))


@dataclass(frozen=True, slots=True)
class Counted:
    """A loop as `count` iterations; iteration k has the index `value(k)`."""

    count: Expr
    value: Callable[[Expr], Expr]


def counted(loop: For) -> Counted:
    r = loop.range
    step = value_of(r.amount)
    if r.op not in "+-" or step is None or step <= 0:
        raise refuse(f"the loop over `{loop.index}` does not count by a constant", loop)
    up = r.op == "+"
    if up != (r.relation in ("<", "<=")):
        raise refuse(f"the loop over `{loop.index}` counts away from its bound", loop)
    span = minus(r.bound, r.start) if up else minus(r.start, r.bound)
    if r.relation in ("<=", ">="):
        span = plus(span, lit(1))
    if value_of(gather(span)) is not None:
        span = gather(span)
    count = span if step == 1 else div(plus(span, lit(step - 1)), lit(step))
    start = r.start

    def value(k: Expr) -> Expr:
        distance = times(lit(step), k)
        return plus(start, distance) if up else minus(start, distance)

    return Counted(count, value)


def hinted(loop: For, stem: str, hint: str) -> For:
    """The loop with a hint, in the place of the one that starts the same."""
    return replace(loop, hints=ordered_hints((*(h for h in loop.hints if not h.startswith(stem)), hint)))


def is_plain(loop: For) -> bool:
    """`for (i = 0; i < n; i++)`"""
    r = loop.range
    return (r.start, r.relation, r.op, r.amount) == (Int(0), "<", "+", Int(1))


def tiled_contracts(loop: For, outer: str, size: Expr) -> tuple[tuple[Clause, ...], tuple[Clause, ...]]:
    """Contracts for a loop cut into tiles, from one for the whole: groups for what each iteration has, the invariant at the start
    of each tile. What cannot be carried along is left to inference."""
    i = loop.index
    inside = plus(times(Var(outer), size), Var(i))
    start = times(Var(outer), size)

    def grouped(e: Expr) -> Expr:
        return Group(i, Range(lit(0), size), substitute(e, {i: inside}))

    outer_clauses: list[Clause] = []
    for c in loop.contract:
        if c.kind in PER_ITERATION and not any(isinstance(x.body, TypeOf) for x in c.items):
            outer_clauses.append(map_clauses((c,), grouped)[0])
        elif c.kind in ("spreserves", "sreads", "srequires", "invariant"):
            outer_clauses.append(map_clauses((c,), lambda e: substitute(e, {i: start}))[0])
        else:
            return (), ()
    return tuple(outer_clauses), map_clauses(loop.contract, lambda e: substitute(e, {i: inside}))


def substituted_contract(loop: For, index: str, value: Expr) -> tuple[Clause, ...]:
    return map_clauses(loop.contract, lambda e: substitute(e, {index: value}))


def elem_of(decl: Decl) -> Scalar:
    match decl.type:
        case Array(elem) | Pointer(elem):
            return elem
        case Scalar():
            return decl.type
        case _:
            raise refuse(f"`{decl.name}` has no element type", decl)


def dims_of(decl: Decl) -> tuple[Expr, ...]:
    """The sizes of what is declared; none for a scalar."""
    from optigpu.syntax.exprs import Alloc

    if isinstance(decl.init, Alloc):
        return decl.init.dims
    if isinstance(decl.type, Array):
        return tuple(d for d in decl.type.dims if d is not None)
    if isinstance(decl.type, Scalar):
        return ()
    raise refuse(f"the sizes of `{decl.name}` are not known", decl)


STACK_CELLS = 1 << 14  # what a function may have on its stack


def array_decl(name: str, elem: Scalar, dims: tuple[Expr, ...]) -> tuple[Decl, Body]:
    """An array: on the stack if it is small, else allocated. Also what frees it."""
    from optigpu.syntax.exprs import Alloc
    from optigpu.syntax.program import CallStmt

    if not dims:
        return Decl(name, elem), ()
    cells = 1
    for d in dims:
        n = value_of(d)
        cells = cells * n if n is not None and cells >= 0 else -1
    if 0 <= cells <= STACK_CELLS:
        return Decl(name, Array(elem, dims)), ()
    return Decl(name, Pointer(elem), Alloc(elem, dims), const=True), (CallStmt(Call("free", (Var(name),))),)


def stored_names(body: Body) -> set[str]:
    """Variables and arrays that are stored to."""
    return {root_name(s.target) for s in statements(body) if isinstance(s, Store)}


def independent(body: Body, names: set[str]) -> bool:
    return not body_free_vars(body) & names
