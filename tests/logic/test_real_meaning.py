"""Random terms with exponentials, logarithms, roots, guarded sums and argmax mean what they say, by arithmetic with 60 digits.

A function has some value where C has none: another one in each environment, so that no law may depend on it.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, getcontext, localcontext
from random import Random
from typing import Any, TypeAlias

import pytest

from optigpu.logic import terms as k
from optigpu.logic.facts import Facts
from optigpu.logic.signs import NEGATIVE, POSITIVE, ZERO
from optigpu.logic.terms import BOOL, INT, REAL, Sort, Term
from optigpu.search.advice import SearchGuide

Env: TypeAlias = dict[str, Any]
Meaning: TypeAlias = Callable[[Env, tuple[int, ...]], Any]
Pair: TypeAlias = tuple[Term, Meaning]
A = k.var("A", k.fun_sort((INT,), REAL))
NOTHING = Decimal(10) ** -30
FUNCTIONS = ("exp", "exp", "exp2", "log", "log2", "sqrt", "sqrt")
BIG = {INT: ("sum", "argmax"), REAL: ("sum", "sum", "fold_max"), BOOL: ("all",)}


class TooLarge(Exception):
    pass


def sign(x: Any) -> int:
    return 0 if abs(x) < NOTHING else 1 if x > 0 else -1


def small(x: Any) -> Any:
    if abs(x) > 10**8:
        raise TooLarge
    return x


def function(name: str, x: Decimal, env: Env) -> Decimal:
    x = Decimal(x)
    unknown = Decimal(round(x * 64) * env["unknown"] % 23 - 11)
    match name:
        case "exp" | "exp2":
            if abs(x) > 25:
                raise TooLarge
            return x.exp() if name == "exp" else (x * Decimal(2).ln()).exp()
        case "sqrt":
            return (Decimal(0), x.sqrt() if x > 0 else x, unknown)[sign(x)]
        case _:
            return (x.ln() / (Decimal(2).ln() if name == "log2" else 1)) if sign(x) > 0 else unknown


def over(op: str, low: int, values: list[Any], initial: Any = None) -> Any:
    match op:
        case "sum":
            return small(sum(values))
        case "all":
            return all(values)
        case "fold_max":
            return max([initial, *values])
        case _:
            best = 0
            for i, v in enumerate(values):
                best = i if sign(v - values[best]) > 0 else best
            return low + best


def value(t: Term, env: Env, stack: tuple[int, ...] = ()) -> Any:
    args = () if t.op in ("sum", "argmax", "fold_max", "all", "ite") else tuple(
        value(a, env, stack) for a in t.args if not (t.op == "app" and a is t.args[0])
    )  # fmt: skip
    match t.op:
        case "num":
            return t.data if t.sort is INT else Decimal(t.data.numerator) / t.data.denominator
        case "var":
            return env[str(t.data)]
        case "bound":
            return stack[-1 - t.data]
        case "poly":
            total: Any = 0
            for monomial, c in t.data:
                product = c if t.sort is INT else Decimal(c.numerator) / c.denominator
                for a in monomial:
                    product *= value(a, env, stack)
                total += product
            return small(total)
        case "inv":
            return Decimal(0) if sign(args[0]) == 0 else small(1 / args[0])
        case "real":
            return Decimal(args[0])
        case "max":
            return max(args)
        case "app":
            return env["A"](*args) if t.args[0] is A else small(function(t.args[0].data.stem, args[0], env))
        case "ite":
            return value(t.args[1] if value(t.args[0], env, stack) else t.args[2], env, stack)
        case "le" | "lt" | "eq":
            return {"le": sign(args[0]) <= 0, "lt": sign(args[0]) < 0, "eq": sign(args[0]) == 0}[t.op]
        case "not":
            return not args[0]
        case "and" | "or":
            return (all if t.op == "and" else any)(args)
        case "true" | "false":
            return t.op == "true"
        case _:
            *start, low, high, body = t.args
            first, last = value(low, env, stack), value(high, env, stack)
            values = [value(body, env, (*stack, i)) for i in range(first, last)]
            return over(t.op, first, values, *(value(x, env, stack) for x in start))


class Maker:
    def __init__(self, seed: int) -> None:
        self.r = Random(seed)

    def environment(self) -> Env:
        r = self.r
        a = r.randint(0, 50)
        numbers: Env = {v: Decimal(r.choice([-3, -2, -1, 0, 0, 1, 2, 3, 4])) / r.choice([1, 2]) for v in "uvw"}
        sizes = {v: r.choice([-2, -1, 0, 1, 2, 3, 4]) for v in "nm"}
        return {
            **numbers,
            **sizes,
            "unknown": r.randint(1, 20),
            "A": lambda i: Decimal((i * 3 + a * (i + 1)) % 7 - 3) / 2,
        }

    def leaf(self, sort: Sort, depth: int) -> Pair:
        r = self.r
        if sort is BOOL:
            return self.comparison(0, depth)
        if sort is INT and depth and r.random() < 0.5:
            i = r.randrange(depth)
            return k.bound(i, INT), lambda e, st: st[-1 - i]
        if r.random() < 0.3:
            c = r.choice([-2, -1, 0, 1, 2, 4])
            return k.num(c, sort), lambda e, st: c if sort is INT else Decimal(c)
        if sort is REAL and r.random() < 0.4:
            i_term, i_value = self.leaf(INT, depth)
            return k.app(A, i_term), lambda e, st: e["A"](i_value(e, st))
        v = r.choice("nm" if sort is INT else "uvw")
        return k.var(v, sort), lambda e, st: e[v]

    def comparison(self, size: int, depth: int) -> Pair:
        sort, op = self.r.choice([INT, REAL]), self.r.choice(["le", "lt", "eq"])
        (a, x), (b, y) = self.make(sort, size, depth), self.make(sort, size, depth)
        test = {"le": lambda s: s <= 0, "lt": lambda s: s < 0, "eq": lambda s: s == 0}[op]
        return getattr(k, op)(a, b), lambda e, st: test(sign(x(e, st) - y(e, st)))

    def make(self, sort: Sort, size: int, depth: int = 0) -> Pair:
        r = self.r
        if size == 0:
            return self.leaf(sort, depth)
        kind = r.choice(["arithmetic", "arithmetic", "guard", "big", "function", "function"])
        if kind == "big" or (kind == "arithmetic" and sort is BOOL):
            return self.big(sort, size, depth)
        if sort is BOOL:
            return self.comparison(size - 1, depth)
        a, x = self.make(sort, size - 1, depth)
        if kind == "guard":
            c, test = self.comparison(0, depth)
            return k.ite(c, a, k.num(0, sort)), lambda e, st: x(e, st) if test(e, st) else x(e, st) * 0
        if kind == "arithmetic" or sort is INT:
            b, y = self.make(sort, size - 1, depth)
            op = r.choice(["add", "sub", "mul", "max_"])
            mean = {"add": lambda p, q: p + q, "sub": lambda p, q: p - q, "mul": lambda p, q: p * q, "max_": max}[op]
            return getattr(k, op)(a, b), lambda e, st: small(mean(x(e, st), y(e, st)))
        if r.random() < 0.3:
            return k.inv(a), lambda e, st: Decimal(0) if sign(p := x(e, st)) == 0 else small(1 / p)
        if r.random() < 0.2:  # x * (1 / x), or exp(log(x))
            b, y = self.leaf(REAL, depth)
            if r.random() < 0.5:
                return k.mul(a, b, k.inv(b)), lambda e, st: x(e, st) * abs(sign(y(e, st)))
            exp, log = (k.function_var(f, k.fun_sort((REAL,), REAL)) for f in ("exp", "log"))
            return k.app(exp, k.app(log, b)), lambda e, st: small(function("exp", function("log", y(e, st), e), e))
        name = r.choice(FUNCTIONS)
        f = k.function_var(name, k.fun_sort((REAL,), REAL))
        return k.app(f, a), lambda e, st: small(function(name, x(e, st), e))

    def big(self, sort: Sort, size: int, depth: int) -> Pair:
        op = self.r.choice(BIG[sort])
        (low, first), (high, last) = self.leaf(INT, depth), self.leaf(INT, depth)
        body, each = self.make(REAL if op == "argmax" else sort, size - 1, depth + 1)
        start = self.leaf(sort, depth) if op == "fold_max" else None

        def mean(e: Env, st: tuple[int, ...]) -> Any:
            values = [each(e, (*st, i)) for i in range(first(e, st), last(e, st))]
            return over(op, first(e, st), values, start[1](e, st) if start else None)

        return k.big(op, low, high, body, start[0] if start else None), mean


def evaluated(f: Callable[..., Any], *args: Any) -> Any:
    try:
        return f(*args)
    except TooLarge:
        return None


def same(a: Any, b: Any) -> bool:
    return a is None or b is None or (a == b if isinstance(a, bool) else sign(a - b) == 0)


@pytest.mark.parametrize("seed", range(40))
def test_terms_and_what_facts_make_of_them_mean_the_same(seed: int) -> None:
    with localcontext(getcontext()) as context:
        context.prec = 60
        maker = Maker(seed)
        for _ in range(12):
            sort = maker.r.choice([REAL, REAL, INT, BOOL])
            t, meaning = maker.make(sort, maker.r.choice([2, 3]))
            envs = [maker.environment() for _ in range(8)]
            wanted = [evaluated(meaning, e, ()) for e in envs]
            assert all(same(evaluated(value, t, e), w) for e, w in zip(envs, wanted)), t
            known = [maker.comparison(0, 0) for _ in range(2)]
            known += [(k.lt(k.num(0, REAL), k.var(v, REAL)), lambda e, st, v=v: e[v] > 0) for v in "uv"]
            facts = Facts(SearchGuide()).assume(*(p for p, _ in known))
            simpler, possible = facts.simplify(t), facts.sign(facts.reduce(t)) if sort is REAL else -1
            for e, w in zip(envs, wanted):
                if w is not None and all(evaluated(f, e, ()) for _, f in known):
                    assert same(evaluated(value, simpler, e), w), (t, simpler)
                    assert possible & (NEGATIVE, ZERO, POSITIVE)[sign(w) + 1 if sort is REAL else 0], (t, possible)
