"""Traversals of syntax: the parts of expressions and statements, and maps that rebuild a node from changed parts.

A map returns the same object when no part changed, so unchanged parts of a program stay shared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from optigpu.light_dataclass import replace
from optigpu.syntax.exprs import (
    Addr,
    Alloc,
    Array,
    BigOp,
    Binary,
    Binder,
    Bool,
    Call,
    Cast,
    Cond,
    Expr,
    Forall,
    Fun,
    Group,
    Index,
    Int,
    PointsTo,
    ProofType,
    Range,
    RangeBinder,
    Real,
    SizeOf,
    Type,
    TypeOf,
    Unary,
    Var,
)
from optigpu.syntax.program import (
    Assert,
    Block,
    Body,
    CallStmt,
    Clause,
    Decl,
    For,
    Ghost,
    GhostArg,
    GhostEnd,
    If,
    Item,
    LoopRange,
    Return,
    Stmt,
    Store,
)
from optigpu.syntax.types import Scalar

ExprMap = Callable[[Expr], Expr]
T = TypeVar("T")


# Expressions


def map_type(t: Type, f: ExprMap) -> Type:
    """Apply f to the expressions inside a type: the sizes of an array, the proposition of a proof type."""
    if isinstance(t, Array):
        return map_sizes(t, f)
    if isinstance(t, ProofType):
        prop = f(t.prop)
        return t if prop is t.prop else ProofType(prop)
    return t


def map_sizes(t: Array, f: ExprMap) -> Array:
    dims = map_tuple(t.dims, lambda d: None if d is None else f(d))
    return t if dims is t.dims else replace(t, dims=dims)


def map_tuple(xs: tuple[T, ...], f: Callable[[T], T]) -> tuple[T, ...]:
    """Apply f to each element; the same tuple if no element changed."""
    out = [f(x) for x in xs]
    return xs if all(a is b for a, b in zip(xs, out)) else tuple(out)


def map_children(e: Expr, f: ExprMap) -> Expr:
    """Apply f to the immediate sub-expressions of `e`; `e` itself if none of them changed."""
    match e:
        case Int() | Real() | Bool() | Var() | SizeOf():
            return e
        case Unary(_, arg) | Cast(_, arg) | Addr(arg):
            new = f(arg)
            return e if new is arg else replace(e, arg=new)
        case Binary(_, left, right):
            a, b = f(left), f(right)
            return e if a is left and b is right else replace(e, left=a, right=b)
        case Cond(test, then, other):
            a, b, c = f(test), f(then), f(other)
            return e if a is test and b is then and c is other else replace(e, test=a, then=b, other=c)
        case Index(base, indices):
            a, xs = f(base), map_tuple(indices, f)
            return e if a is base and xs is indices else replace(e, base=a, indices=xs)
        case Call(_, args):
            xs = map_tuple(args, f)
            return e if xs is args else replace(e, args=xs)
        case Alloc(_, dims):
            xs = map_tuple(dims, f)
            return e if xs is dims else replace(e, dims=xs)
        case Fun(params, body) | Forall(params, body):
            ps, b = map_tuple(params, lambda p: map_binder(p, f)), f(body)
            return e if ps is params and b is body else replace(e, params=ps, body=b)
        case Range(low, high):
            a, b = f(low), f(high)
            return e if a is low and b is high else replace(e, low=a, high=b)
        case BigOp(_, binders, body):
            bs, b = map_tuple(binders, lambda r: _map_range_binder(r, f)), f(body)
            return e if bs is binders and b is body else replace(e, binders=bs, body=b)
        case PointsTo(pointer, _, target, space):
            a, b = f(pointer), f(target)
            s = None if space is None else f(space)
            return e if a is pointer and b is target and s is space else replace(e, pointer=a, target=b, space=s)
        case Group(_, range_, body):
            a, b = f(range_), f(body)
            return e if a is range_ and b is body else replace(e, range=a, body=b)
        case TypeOf(of):
            t = map_type(of, f)
            return e if t is of else replace(e, of=t)


def map_binder(p: Binder, f: ExprMap) -> Binder:
    t = None if p.type is None else map_type(p.type, f)
    return p if t is p.type else replace(p, type=t)


def _map_range_binder(r: RangeBinder, f: ExprMap) -> RangeBinder:
    a = f(r.range)
    return r if a is r.range else replace(r, range=a)


def children(e: Expr) -> Sequence[Expr]:
    """The immediate sub-expressions, in source order."""
    match e:
        case Var() | Int() | Real() | Bool() | SizeOf():
            return ()
        case Binary():
            return e.left, e.right
        case Index():
            return e.base, *e.indices
        case Call():
            return e.args
        case Unary() | Cast() | Addr():
            return (e.arg,)
        case _:
            return _noted_children(e)


def _noted_children(e: Expr) -> list[Expr]:
    out: list[Expr] = []

    def note(x: Expr) -> Expr:
        out.append(x)
        return x

    map_children(e, note)
    return out


def subexpressions(e: Expr) -> Iterator[Expr]:
    """The expression and all its sub-expressions, outermost first."""
    stack = [e]
    while stack:
        x = stack.pop()
        yield x
        if parts := children(x):
            stack.extend(reversed(parts))


def root_name(e: Expr) -> str:
    """The array or variable that an access or pointer expression starts from: `a` in `&a[i][j]`; empty if there is none."""
    match e:
        case Var(name):
            return name
        case Index(base) | Addr(base) | Binary("+", base):  # p + i is &p[i]
            return root_name(base)
        case _:
            return ""


def reads_memory(e: Expr) -> bool:
    """Whether an expression reads memory, directly or in a called function."""
    return any(isinstance(x, Index) or (isinstance(x, Call) and has_pointers(x)) for x in subexpressions(e))


def has_pointers(e: Call) -> bool:
    """Whether the called function is given memory."""
    return any(not isinstance(a.type, Scalar) for a in e.args)


def rewrite(e: Expr, f: ExprMap) -> Expr:
    """Apply f to every sub-expression, innermost first."""
    return f(map_children(e, lambda x: rewrite(x, f)))


def is_constant(e: Expr) -> bool:
    """Whether an expression is built from literals and names alone: a constant, if every name is that of a macro."""
    parts = Binary | Cast | Unary | Int | Real | Bool | Var | SizeOf
    return all(isinstance(x, parts) for x in subexpressions(e))


# Statements


def stmt_exprs(s: Stmt) -> list[Expr]:
    """The expressions directly in a statement, loop contracts included, without those of nested statements."""
    match s:
        case Decl(_, type_, init):
            dims = [d for d in type_.dims if d is not None] if isinstance(type_, Array) else []
            return dims + ([init] if init is not None else [])
        case Store(target, value):
            return [target, value]
        case For(_, r, _, _, contract):
            return [r.start, r.bound, r.amount, *contract_exprs(contract)]
        case If(test):
            return [test]
        case CallStmt(call):
            return [call]
        case Return(value):
            return [value] if value is not None else []
        case Ghost(_, args):
            return [a.value for a in args]
        case Assert(items):
            return [i.body for i in items]
        case Block() | GhostEnd():
            return []


def code_exprs(s: Stmt) -> list[Expr]:
    """The expressions directly in a statement that are executed: without loop contracts, ghosts and assertions."""
    match s:
        case For(_, r):
            return [r.start, r.bound, r.amount]
        case Ghost() | Assert():
            return []
        case _:
            return stmt_exprs(s)


def inner_bodies(s: Stmt) -> list[Body]:
    """The bodies of a loop, a block or the two branches of an `if`."""
    match s:
        case For() | Block():
            return [s.body]
        case If(_, then, other):
            return [then, other]
        case _:
            return []


def statements(body: Body) -> Iterator[Stmt]:
    """All statements of a body and of nested bodies, in program order, a statement before those inside it."""
    stack = [*reversed(body)]
    while stack:
        s = stack.pop()
        yield s
        for inner in reversed(inner_bodies(s)):
            stack.extend(reversed(inner))


def contract_exprs(contract: tuple[Clause, ...]) -> list[Expr]:
    """The formulas of a contract."""
    return [i.body for c in contract for i in c.items]


def body_exprs(body: Body) -> Iterator[Expr]:
    """The whole expressions of all statements of a body and of nested bodies."""
    return (e for s in statements(body) for e in stmt_exprs(s))


def body_subexpressions(body: Body) -> Iterator[Expr]:
    """All sub-expressions of all statements of a body and of nested bodies."""
    return (x for e in body_exprs(body) for x in subexpressions(e))


def map_range(r: LoopRange, f: ExprMap) -> LoopRange:
    a, b, c = f(r.start), f(r.bound), f(r.amount)
    return r if a is r.start and b is r.bound and c is r.amount else replace(r, start=a, bound=b, amount=c)


def map_items(items: tuple[Item, ...], f: ExprMap) -> tuple[Item, ...]:
    def map_item(i: Item) -> Item:
        b = f(i.body)
        return i if b is i.body else replace(i, body=b)

    return map_tuple(items, map_item)


def map_clauses(contract: tuple[Clause, ...], f: ExprMap) -> tuple[Clause, ...]:
    def map_clause(c: Clause) -> Clause:
        items = map_items(c.items, f)
        return c if items is c.items else replace(c, items=items)

    return map_tuple(contract, map_clause)


def map_stmt_exprs(s: Stmt, f: ExprMap) -> Stmt:
    """Apply f to the expressions of `stmt_exprs(s)`; the same statement if nothing changed."""
    match s:
        case Decl(_, type_, init):
            t, i = map_type(type_, f), None if init is None else f(init)
            return s if t is type_ and i is init else replace(s, type=t, init=i)
        case Store(target, value):
            a, v = f(target), f(value)
            if not isinstance(a, Index | Var):
                raise ValueError("an assigned variable cannot be replaced by a value")
            return s if a is target and v is value else replace(s, target=a, value=v)
        case For(_, r, _, _, contract):
            nr, nc = map_range(r, f), map_clauses(contract, f)
            return s if nr is r and nc is contract else replace(s, range=nr, contract=nc)
        case If(test):
            t2 = f(test)
            return s if t2 is test else replace(s, test=t2)
        case CallStmt(call):
            c = f(call)
            if not isinstance(c, Call):
                raise ValueError("a call statement must stay a call")
            return s if c is call else replace(s, call=c)
        case Return(value):
            v2 = None if value is None else f(value)
            return s if v2 is value else replace(s, value=v2)
        case Ghost(_, args):
            new_args = map_tuple(args, lambda a: _map_ghost_arg(a, f))
            return s if new_args is args else replace(s, args=new_args)
        case Assert(items):
            ni = map_items(items, f)
            return s if ni is items else replace(s, items=ni)
        case Block() | GhostEnd():
            return s


def _map_ghost_arg(a: GhostArg, f: ExprMap) -> GhostArg:
    v = f(a.value)
    return a if v is a.value else replace(a, value=v)


def map_bodies(s: Stmt, f: Callable[[Body], Body]) -> Stmt:
    """Apply f to the bodies of `inner_bodies(s)`."""
    match s:
        case For() | Block():
            b = f(s.body)
            return s if b is s.body else replace(s, body=b)
        case If(_, then, other):
            a, b = f(then), f(other)
            return s if a is then and b is other else replace(s, then=a, other=b)
        case _:
            return s


def rewrite_body(body: Body, f: ExprMap) -> Body:
    """Apply f to every whole expression in a body and in nested bodies, regardless of scope."""
    return map_tuple(body, lambda s: map_bodies(map_stmt_exprs(s, f), lambda b: rewrite_body(b, f)))
