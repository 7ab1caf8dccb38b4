"""Binders: functions, quantifiers, application, and replacement of variables and subterms.

A bound variable is a de Bruijn index: the number of binders between its occurrence and its binder. So terms that are equal up to
the names of their bound variables are the same term, and nothing is captured.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from optigpu.logic.names import Origin
from optigpu.logic.terms.arithmetic import EXPONENTIALS, coefficients, exponential, is_function, mul, polynomial
from optigpu.logic.terms.core import (
    BOOL,
    CONSTRUCTORS,
    FALSE,
    REAL,
    TRUE,
    Coefficients,
    Term,
    bound,
    constructor,
    expect,
    fun_sort,
    interned,
    num,
    remembered,
)

LOGARITHMS = {"log": "exp", "log2": "exp2"}  # of which exponentials they are the inverse functions


@constructor("app")
def app(f: Term, *args: Term) -> Term:
    """f(args), of the sorts that f has. A lambda is applied at once. The logarithm of exp(x) is x."""
    if len(args) != len(f.sort.args) or any(a.sort is not s for a, s in zip(args, f.sort.args)):
        raise TypeError(f"{f} is applied to arguments of other sorts")
    if f.op == "lam":
        return instantiate(f.args[0], args)
    assert f.sort.result is not None
    if f.op == "var" and f.data.origin is Origin.FUNCTION and f.sort.args == (REAL,):
        if f.data.stem in EXPONENTIALS:
            return exponential(f, args[0])
        if is_function(args[0], EXPONENTIALS) and LOGARITHMS.get(f.data.stem) == args[0].args[0].data.stem:
            return args[0].args[1]
    return interned("app", (f, *args), f.sort.result)


def lam(variables: tuple[Term, ...], body: Term) -> Term:
    """The function of these variables. `fun x -> f(x)` is f, where f does not depend on x."""
    sorts = tuple(v.sort for v in variables)
    closed = abstract(body, variables)
    own = tuple(bound(len(sorts) - 1 - i, s) for i, s in enumerate(sorts))
    if closed.op == "app" and closed.args[1:] == own and closed.args[0].level == 0:
        return closed.args[0]
    return interned("lam", (closed,), fun_sort(sorts, body.sort), sorts)


def forall(variables: tuple[Term, ...], body: Term) -> Term:
    """The body for all values of these variables."""
    if not variables or expect(BOOL, body) in (TRUE, FALSE):
        return body
    return interned("forall", (abstract(body, variables),), BOOL, tuple(v.sort for v in variables))


def rebuild(t: Term, f: Callable[[Term, int], Term], depth: int = 0) -> Term:
    """The term with f applied to its immediate subterms; f gets the number of binders around the subterm."""
    match t.op:
        case "poly":
            new = {a: f(a, depth) for a in t.parts}
            if all(a is b for a, b in new.items()):
                return t
            out: Coefficients = {}
            for monomial, c in t.data:
                factors = [new[a] for a in monomial] or [num(1, t.sort)]
                for m, d in coefficients(mul(*factors) if len(factors) > 1 else factors[0]).items():
                    out[m] = out.get(m, 0) + c * d
            return polynomial(out, t.sort)
        case "num" | "var" | "bound" | "true" | "false":
            return t
        case "lam" | "forall":
            body = f(t.args[0], depth + t.binds)
            return body if t.op == "forall" and body in (TRUE, FALSE) else interned(t.op, (body,), t.sort, t.data)
        case "sum" | "prod" | "all" | "argmax" | "fold_max":
            return CONSTRUCTORS[t.op](*[f(a, depth) for a in t.args[:-1]], f(t.args[-1], depth + 1))
        case _:
            args = tuple([f(a, depth) for a in t.args])
            return t if args == t.args else CONSTRUCTORS[t.op](*args)


def mentions_bound(t: Term, index: int) -> bool:
    """Does the bound variable with this index occur?"""
    if t.level <= index:
        return False
    if t.op == "bound":
        return bool(t.data == index)
    if t.binds:
        return mentions_bound(t.args[-1], index + t.binds) or any(mentions_bound(a, index) for a in t.args[:-1])
    return any(mentions_bound(a, index) for a in t.parts)


def rewritten(t: Term, f: Callable[[Term, int], Term | None]) -> Term:
    """The term with each subterm x, outermost first, replaced by f(x, depth) where that is a term; depth is the number of binders
    around x."""
    memo: dict[tuple[Term, int], Term] = {}

    def go(x: Term, depth: int) -> Term:
        new = f(x, depth)
        if new is None:
            new = memo.get((x, depth))
        if new is None:
            new = memo[x, depth] = rebuild(x, go, depth)
        return new

    return go(t, 0)


def shift(t: Term, by: int) -> Term:
    """Move a term under `by` more binders, or (by < 0) out of binders whose variables it does not mention."""

    def move(x: Term, depth: int) -> Term | None:
        return x if x.level <= depth else bound(x.data + by, x.sort) if x.op == "bound" else None

    return rewritten(t, move) if by and t.level else t


@remembered(50_000)
def abstract(t: Term, variables: tuple[Term, ...]) -> Term:
    """Bind variables: the last of them becomes index 0."""
    n = len(variables)
    positions = {v: n - 1 - i for i, v in enumerate(variables)}

    def bind(x: Term, depth: int) -> Term | None:
        if x.op == "var":
            return bound(positions[x] + depth, x.sort) if x in positions else x
        if x.op == "bound":
            return bound(x.data + n, x.sort) if x.data >= depth else x
        return x if x.level <= depth and positions.keys().isdisjoint(x.free) else None

    return rewritten(t, bind)


@remembered(50_000)
def instantiate(t: Term, args: tuple[Term, ...]) -> Term:
    """Replace the outermost bound variables (the last argument is for index 0); the arguments may mention outer binders."""
    n = len(args)

    def fill(x: Term, depth: int) -> Term | None:
        if x.level <= depth or x.op != "bound":
            return x if x.level <= depth else None
        if x.data >= depth + n:
            return bound(x.data - n, x.sort)
        return shift(expect(x.sort, args[n - 1 - (x.data - depth)]), depth)

    return rewritten(t, fill)


def instantiate_all(ts: tuple[Term, ...], args: tuple[Term, ...]) -> tuple[Term, ...]:
    return tuple(instantiate(t, args) for t in ts)


def substitute(t: Term, values: Mapping[Term, Term]) -> Term:
    """Replace variables by closed terms of their sorts, everywhere; a lambda that is applied then is reduced."""
    if values.keys().isdisjoint(t.free):
        return t
    variables = frozenset(values)

    def put(x: Term, depth: int) -> Term | None:
        return expect(x.sort, values.get(x, x)) if x.op == "var" else x if variables.isdisjoint(x.free) else None

    return rewritten(t, put)


def replace_subterms(t: Term, table: Mapping[Term, Term]) -> Term:
    """Replace closed subterms, outermost first."""
    return rewritten(t, lambda x, _: table.get(x))
