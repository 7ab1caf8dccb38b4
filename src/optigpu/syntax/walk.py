"""Walking and rewriting syntax: sub-expressions, free variables, capture-avoiding substitution, alpha-equality, matching."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from typing import TypeVar

from optigpu.syntax.exprs import (
    Addr,
    Alloc,
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
    Range,
    RangeBinder,
    Real,
    SizeOf,
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
    Function,
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
from optigpu.syntax.types import Array, ProofType, Type, is_int

ExprMap = Callable[[Expr], Expr]
Substitution = Mapping[str, Expr]
T = TypeVar("T")


# Sub-expressions ------------------------------------------------------------------------------------------------------------


def map_type(t: T, f: ExprMap) -> T:
    """Apply f to the expressions inside a type."""
    if isinstance(t, Array):
        dims = _map_tuple(t.dims, lambda d: None if d is None else f(d))
        return t if dims is t.dims else replace(t, dims=dims)
    if isinstance(t, ProofType):
        prop = f(t.prop)
        return t if prop is t.prop else ProofType(prop)  # type: ignore[return-value]
    return t


def _map_tuple(xs: tuple[T, ...], f: Callable[[T], T]) -> tuple[T, ...]:
    """map, but the same tuple when nothing changed, so that unchanged parts of a program stay shared."""
    out = [f(x) for x in xs]
    return xs if all(a is b for a, b in zip(xs, out)) else tuple(out)


def map_children(e: Expr, f: ExprMap) -> Expr:
    """The expression with f applied to its immediate sub-expressions; `e` itself if none of them changed."""
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
            a, xs = f(base), _map_tuple(indices, f)
            return e if a is base and xs is indices else replace(e, base=a, indices=xs)
        case Call(_, args):
            xs = _map_tuple(args, f)
            return e if xs is args else replace(e, args=xs)
        case Alloc(_, dims):
            xs = _map_tuple(dims, f)
            return e if xs is dims else replace(e, dims=xs)
        case Fun(params, body) | Forall(params, body):
            ps, b = _map_tuple(params, lambda p: _map_binder(p, f)), f(body)
            return e if ps is params and b is body else replace(e, params=ps, body=b)
        case Range(low, high):
            a, b = f(low), f(high)
            return e if a is low and b is high else replace(e, low=a, high=b)
        case BigOp(_, binders, body):
            bs, b = _map_tuple(binders, lambda r: _map_range_binder(r, f)), f(body)
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


def _map_binder(p: Binder, f: ExprMap) -> Binder:
    t = map_type(p.type, f)
    return p if t is p.type else replace(p, type=t)


def _map_range_binder(r: RangeBinder, f: ExprMap) -> RangeBinder:
    a = f(r.range)
    return r if a is r.range else replace(r, range=a)


def children(e: Expr) -> list[Expr]:
    out: list[Expr] = []

    def note(x: Expr) -> Expr:
        out.append(x)
        return x

    map_children(e, note)
    return out


def subexpressions(e: Expr) -> Iterator[Expr]:
    """The expression and everything in it, outermost first."""
    stack = [e]
    while stack:
        x = stack.pop()
        yield x
        stack.extend(reversed(children(x)))


def is_constant(e: Expr) -> bool:
    """Built from literals and names alone: a constant, if the names are those of macros."""
    parts = Binary | Cast | Unary | Int | Real | Bool | Var | SizeOf
    return all(isinstance(x, parts) for x in subexpressions(e))


def rewrite(e: Expr, f: ExprMap) -> Expr:
    """Apply f to every sub-expression, innermost first."""
    return f(map_children(e, lambda x: rewrite(x, f)))


# Free variables -------------------------------------------------------------------------------------------------------------


def free_vars(e: Expr) -> set[str]:
    """Names that occur free, those of applied functions included."""
    out: set[str] = set()
    _free(e, frozenset(), out)
    return out


def _free(e: Expr, bound: frozenset[str], out: set[str]) -> None:
    match e:
        case Var(name) | Call(name):
            if name not in bound:
                out.add(name)
        case _:
            pass
    for x, inner in _scoped_children(e, bound):
        _free(x, inner, out)


def _scoped_children(e: Expr, bound: frozenset[str]) -> list[tuple[Expr, frozenset[str]]]:
    """What an expression consists of, each with the names that are bound around it."""
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
    """`subexpressions`, each with the names that the expression binds around it."""
    stack = [(e, frozenset[str]())]
    while stack:
        x, bound = stack.pop()
        yield x, bound
        stack.extend(reversed(_scoped_children(x, bound)))


def type_free_vars(t: Type | None) -> set[str]:
    out: set[str] = set()
    if isinstance(t, Array):
        for d in t.dims:
            if d is not None:
                out |= free_vars(d)
    elif isinstance(t, ProofType):
        out |= free_vars(t.prop)
    return out


def stmt_exprs(s: Stmt) -> list[Expr]:
    """The expressions that stand directly in a statement (not in the statements inside it), contracts included."""
    match s:
        case Decl(_, type_, init):
            dims = [d for d in type_.dims if d is not None] if isinstance(type_, Array) else []
            return dims + ([init] if init is not None else [])
        case Store(target, value):
            return [target, value]
        case For(_, r, _, _, contract):
            return [r.start, r.bound, r.amount, *(i.body for c in contract for i in c.items)]
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


def inner_bodies(s: Stmt) -> list[Body]:
    match s:
        case For() | Block():
            return [s.body]
        case If(_, then, other):
            return [then, other]
        case _:
            return []


def statements(body: Body) -> Iterator[Stmt]:
    """All statements, outermost first, in program order."""
    for s in body:
        yield s
        for inner in inner_bodies(s):
            yield from statements(inner)


def body_free_vars(body: Body) -> set[str]:
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
    out: set[str] = set()
    given: set[str] = set()
    for c in contract:
        for item in c.items:
            out |= free_vars(item.body) - given
            if item.name is not None:
                given.add(item.name)
    return out


def bound_after(s: Stmt) -> set[str]:
    """The names a statement declares for the statements after it in its body."""
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
    """Every name that occurs in a function, bound or free: what a fresh name must avoid."""
    names = {p.name for p in function.params} | {function.name}
    for p in function.params:
        names |= type_free_vars(p.type)
    return names | clause_names(function.contract) | body_names(function.body)


def body_names(body: Body) -> set[str]:
    """Every name that occurs in statements, bound or free."""
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
    """`base`, or `base1`, `base2`, …: the first that is not taken."""
    if base not in taken:
        return base
    stem = re.sub(r"\d+$", "", base) or base
    n = 1
    while f"{stem}{n}" in taken:
        n += 1
    return f"{stem}{n}"


# Substitution ---------------------------------------------------------------------------------------------------------------


def substitute(e: Expr, sub: Substitution) -> Expr:
    """Replace free variables. Bound variables are renamed where they would capture; an applied lambda is beta-reduced."""
    if not sub:
        return e
    return _subst(e, dict(sub), _vars_of(sub))


def _vars_of(sub: Substitution) -> set[str]:
    out: set[str] = set()
    for v in sub.values():
        out |= free_vars(v)
    return out


def _subst(e: Expr, sub: dict[str, Expr], incoming: set[str]) -> Expr:
    match e:
        case Var(name):
            match sub.get(name, e):
                case Var(new, type=None):  # another name for the same thing
                    return replace(e, name=new)
                case other:
                    return other
        case Call(func, args):
            new_args = _map_tuple(args, lambda a: _subst(a, sub, incoming))
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
                p = _map_binder(p, lambda x, sub=sub: _subst(x, sub, incoming))  # type: ignore[misc]
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
    """Go under a binder: its name is shadowed, or renamed if it would capture. Changes `sub` accordingly."""
    sub.pop(name, None)
    if not sub or name not in incoming:
        return name
    new = fresh_name(name, incoming | expr_names(body) | set(sub))  # nor is it bound again further in
    sub[name] = Var(new)
    return new


def substitute_body(body: Body, sub: Substitution, avoid: frozenset[str] = frozenset()) -> Body:
    """Substitute in statements, renaming declarations and loop indices that would capture, or that are to be avoided."""
    return _subst_body(body, dict(sub), _vars_of(sub) | avoid) if sub else body


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


def map_range(r: LoopRange, f: ExprMap) -> LoopRange:
    a, b, c = f(r.start), f(r.bound), f(r.amount)
    return r if a is r.start and b is r.bound and c is r.amount else replace(r, start=a, bound=b, amount=c)


def map_items(items: tuple[Item, ...], f: ExprMap) -> tuple[Item, ...]:
    def one(i: Item) -> Item:
        b = f(i.body)
        return i if b is i.body else replace(i, body=b)

    return _map_tuple(items, one)


def map_clauses(contract: tuple[Clause, ...], f: ExprMap) -> tuple[Clause, ...]:
    def one(c: Clause) -> Clause:
        items = map_items(c.items, f)
        return c if items is c.items else replace(c, items=items)

    return _map_tuple(contract, one)


def map_stmt_exprs(s: Stmt, f: ExprMap) -> Stmt:
    """Apply f to the expressions directly in a statement; the same statement if nothing changed."""
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

            def arg(a: GhostArg) -> GhostArg:
                v = f(a.value)
                return a if v is a.value else replace(a, value=v)

            new_args = _map_tuple(args, arg)
            return s if new_args is args else replace(s, args=new_args)
        case Assert(items):
            ni = map_items(items, f)
            return s if ni is items else replace(s, items=ni)
        case Block() | GhostEnd():
            return s


def map_bodies(s: Stmt, f: Callable[[Body], Body]) -> Stmt:
    """Apply f to the bodies inside a statement."""
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
    """Apply f (to whole expressions) everywhere in a body, regardless of scope."""
    return _map_tuple(body, lambda s: map_bodies(map_stmt_exprs(s, f), lambda b: rewrite_body(b, f)))


# Equality up to bound names, and matching -------------------------------------------------------------------------------------


def alpha_equal(a: Expr, b: Expr) -> bool:
    return _alpha(a, b, {}, {})


def _alpha(a: Expr, b: Expr, left: dict[str, int], right: dict[str, int]) -> bool:
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
            mine, theirs = children(a), children(b)
            if len(mine) != len(theirs) or _head(a) != _head(b):
                return False
            return all(_alpha(x, y, left, right) for x, y in zip(mine, theirs))


def _alpha_types(a: Type | None, b: Type | None, left: dict[str, int], right: dict[str, int]) -> bool:
    if isinstance(a, ProofType) and isinstance(b, ProofType):
        return _alpha(a.prop, b.prop, left, right)
    return a == b


def _bind(left: dict[str, int], right: dict[str, int], x: str, y: str) -> tuple[dict[str, int], dict[str, int]]:
    level = len(left) + len(right)
    return {**left, x: level}, {**right, y: level}


def _head(e: Expr) -> Expr:
    """The node with its sub-expressions blanked: what remains to compare."""
    return map_children(e, lambda _: _BLANK)


_BLANK: Expr = Bool(False)


def match_expr(pattern: Expr, e: Expr) -> dict[str, Expr] | None:
    """Match against a pattern whose variables start with `?`: match_expr(Binary("+", Var("?x"), Var("?x")), e)."""
    found: dict[str, Expr] = {}
    return found if _match(pattern, e, found) else None


def _match(p: Expr, e: Expr, found: dict[str, Expr]) -> bool:
    if isinstance(p, Var) and p.name.startswith("?"):
        if p.name in found:
            return alpha_equal(found[p.name], e)
        found[p.name] = e
        return True
    if type(p) is not type(e):
        return False
    ps, es = children(p), children(e)
    return len(ps) == len(es) and _head(p) == _head(e) and all(_match(x, y, found) for x, y in zip(ps, es))


# Small constructions ----------------------------------------------------------------------------------------------------------

_NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


def negate(e: Expr) -> Expr:
    """Logical negation. A comparison is turned around only where its operands are known to be integers (floats have NaN)."""
    match e:
        case Bool(value):
            return replace(e, value=not value)
        case Unary("!", arg):
            return arg
        case Binary(op, left, right) if op in _NEGATED and is_int(left.type):
            return Binary(_NEGATED[op], left, right, loc=e.loc, type=e.type)
        case _:
            return Unary("!", e, loc=e.loc, type=e.type)
