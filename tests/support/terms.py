"""Random terms and their meaning: the finite model against which the kernel's laws are tested."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from random import Random
from typing import Any

from hypothesis import assume

from optigpu.elaborate.arithmetic_terms import pure_operation
from optigpu.logic import terms as k
from optigpu.logic.terms import BOOL, INT, REAL, Term


def _bounded(size: int, limit: int) -> None:
    """Reject the example rather than compute for hours."""
    if size > limit:
        assume(False)


def evaluate(t: Term, env: Mapping[str, Any], stack: tuple[Any, ...] = ()) -> Any:
    """The value of a term; `env` maps variable names to numbers, booleans or functions. Division by zero is 0, or env["/0"]."""

    def ev(x: Term) -> Any:
        return evaluate(x, env, stack)

    match t.op:
        case "num":
            return t.data
        case "true" | "false":
            return t.op == "true"
        case "var":
            return env[str(t.data)]
        case "bound":
            return stack[-1 - t.data]
        case "poly":
            total: Any = 0
            for m, c in t.data:
                product = c
                for a in m:
                    product = product * ev(a)
                total += product
            return total
        case "fdiv":
            a, b = (ev(x) for x in t.args)
            return a // b if b else env.get("/0", 0)
        case "pow2":
            e = ev(t.args[0])
            _bounded(e, 2_000)
            return 2**e if e >= 0 else env.get("2^-", 0)  # nothing is known of a negative exponent
        case "max":
            return max(ev(a) for a in t.args)
        case "inv":
            x = ev(t.args[0])
            return Fraction(1) / x if x else Fraction(0)
        case "real":
            return ev(t.args[0])
        case "trunc":
            return math.trunc(ev(t.args[0]))
        case "band" | "bor" | "bxor":
            a, b = (ev(x) for x in t.args)
            return {"band": a & b, "bor": a | b, "bxor": a ^ b}[t.op]
        case "app":
            return ev(t.args[0])(*(ev(a) for a in t.args[1:]))
        case "lam":
            return lambda *xs: evaluate(t.args[0], env, (*stack, *xs))
        case "ite":
            return ev(t.args[1]) if ev(t.args[0]) else ev(t.args[2])
        case "le":
            return ev(t.args[0]) <= 0
        case "lt":
            return ev(t.args[0]) < 0
        case "eq":
            return ev(t.args[0]) == 0
        case "not":
            return not ev(t.args[0])
        case "and":
            return all(ev(a) for a in t.args)
        case "or":
            return any(ev(a) for a in t.args)
        case "sum" | "prod" | "all" | "any":
            low, high, body = t.args
            _bounded(ev(high) - ev(low), 10_000)
            values = [evaluate(body, env, (*stack, i)) for i in range(ev(low), ev(high))]
            if t.op == "prod":
                return math.prod(values)
            return {"sum": sum, "all": all, "any": any}[t.op](values)
        case "argmax":
            low, high, body = t.args
            indices = range(ev(low), ev(high))
            return max(indices, key=lambda i: evaluate(body, env, (*stack, i)), default=ev(low))
        case "fold_max" | "fold_min":
            start, low, high, body = t.args
            pick = max if t.op == "fold_max" else min
            result = ev(start)
            _bounded(ev(high) - ev(low), 10_000)
            for i in range(ev(low), ev(high)):
                result = pick(result, evaluate(body, env, (*stack, i)))
            return result
        case _:
            raise NotImplementedError(t.op)


INTS = ("x", "y", "n", "m")
REALS = ("u", "v")
FUNCTIONS = {"A": k.fun_sort((INT,), REAL), "K": k.fun_sort((INT,), INT), "B": k.fun_sort((INT, INT), REAL)}


def environment(r: Random) -> dict[str, Any]:
    table: dict[Any, int] = {}

    def function(name: str) -> Any:
        return lambda *args: table.setdefault((name, *args), r.randint(-4, 4))

    env: dict[str, Any] = {name: r.randint(-6, 9) for name in INTS}
    env.update({name: Fraction(r.randint(-6, 6), r.choice([1, 2, 3])) for name in REALS})
    env.update({name: function(name) for name in FUNCTIONS})
    return env


class TermMaker:
    """Random terms together with their meaning, which is computed as they are built and not from the normalised result."""

    def __init__(self, r: Random) -> None:
        self.r = r

    def integer(self, depth: int, bound: int = 0) -> tuple[Term, Any]:
        r = self.r
        if depth == 0 or r.random() < 0.25:
            options = [0, 1] + ([2] if bound else [])
            match r.choice(options):
                case 0:
                    c = r.randint(-5, 12)
                    return k.num(c), lambda env, st: c
                case 1:
                    name = r.choice(INTS)
                    return k.var(name, INT), lambda env, st: env[name]
                case _:
                    i = r.randrange(bound)
                    return k.bound(i, INT), lambda env, st: st[-1 - i]
        choice = r.random()
        (a, fa), (b, fb) = self.integer(depth - 1, bound), self.integer(depth - 1, bound)
        if choice < 0.2:
            return k.add(a, b), lambda env, st: fa(env, st) + fb(env, st)
        if choice < 0.35:
            return k.sub(a, b), lambda env, st: fa(env, st) - fb(env, st)
        if choice < 0.5:
            return k.mul(a, b), lambda env, st: fa(env, st) * fb(env, st)
        if choice < 0.6:
            c = r.choice([-4, -3, -1, 1, 2, 3, 4, 6, 32])
            return k.fdiv(a, k.num(c)), lambda env, st: fa(env, st) // c
        if choice < 0.68:
            c = r.choice([-3, 1, 2, 3, 4, 6, 16])
            op = r.choice(["tdiv", "tmod", "fmod"])
            made = k.fmod(a, k.num(c)) if op == "fmod" else pure_operation({"tdiv": "/", "tmod": "%"}[op], a, k.num(c))
            if op == "fmod":
                return made, lambda env, st: fa(env, st) % c
            if op == "tdiv":
                return made, lambda env, st: math.trunc(Fraction(fa(env, st), c))
            return made, lambda env, st: fa(env, st) - c * math.trunc(Fraction(fa(env, st), c))
        if choice < 0.76:
            op = r.choice(["min", "max"])
            pick = min if op == "min" else max
            return (k.min_ if op == "min" else k.max_)(a, b), lambda env, st: pick(fa(env, st), fb(env, st))
        if choice < 0.84:
            return k.app(k.var("K", FUNCTIONS["K"]), a), lambda env, st: env["K"](fa(env, st))
        if choice < 0.92:
            c, fc = self.boolean(depth - 1, bound)
            return k.ite(c, a, b), lambda env, st: fa(env, st) if fc(env, st) else fb(env, st)
        return self.big_sum(depth, bound, self.integer)

    def real(self, depth: int, bound: int = 0) -> tuple[Term, Any]:
        r = self.r
        if depth == 0 or r.random() < 0.2:
            if r.random() < 0.5:
                c = Fraction(r.randint(-5, 5), r.choice([1, 2, 4]))
                return k.num(c, REAL), lambda env, st: c
            name = r.choice(REALS)
            return k.var(name, REAL), lambda env, st: env[name]
        choice = r.random()
        if choice < 0.25:
            i, fi = self.integer(depth - 1, bound)
            return k.app(k.var("A", FUNCTIONS["A"]), i), lambda env, st: env["A"](fi(env, st))
        if choice < 0.33:
            (i, fi), (j, fj) = self.integer(depth - 1, bound), self.integer(depth - 1, bound)
            return k.app(k.var("B", FUNCTIONS["B"]), i, j), lambda env, st: env["B"](fi(env, st), fj(env, st))
        if choice < 0.4:
            i, fi = self.integer(depth - 1, bound)
            return k.to_real(i), fi
        (a, fa), (b, fb) = self.real(depth - 1, bound), self.real(depth - 1, bound)
        if choice < 0.5:
            return k.add(a, b), lambda env, st: fa(env, st) + fb(env, st)
        if choice < 0.6:
            return k.mul(a, b), lambda env, st: fa(env, st) * fb(env, st)
        if choice < 0.66:
            return k.max_(a, b), lambda env, st: max(fa(env, st), fb(env, st))
        if choice < 0.76:
            c, fc = self.boolean(depth - 1, bound)
            return k.ite(c, a, b), lambda env, st: fa(env, st) if fc(env, st) else fb(env, st)
        if choice < 0.82:
            c = r.choice([2, -3, Fraction(1, 2)])
            return pure_operation("/", a, k.num(c, REAL)), lambda env, st: fa(env, st) / Fraction(c)
        return self.big_sum(depth, bound, self.real)

    def big_sum(self, depth: int, bound: int, make: Any) -> tuple[Term, Any]:
        (lo, flo), (size, fsize) = self.integer(0, bound), self.integer(0, bound)
        body, fbody = make(depth - 1, bound + 1)
        op = self.r.choice(["sum", "sum", "fold_max", "prod"])
        hi = k.add(lo, size)

        def values(env: Any, st: Any) -> list[Any]:
            start = flo(env, st)
            return [fbody(env, (*st, i)) for i in range(start, start + fsize(env, st))]

        if op == "fold_max":
            start, fstart = make(0, bound)
            if self.r.random() < 0.5:  # one of the values around the beginning
                d = self.r.randint(-2, 1)
                start = k.instantiate(body, (k.add(lo, k.num(d)),))

                def fstart(env: Any, st: Any) -> Any:
                    return fbody(env, (*st, flo(env, st) + d))

            return k.big(op, lo, hi, body, start), lambda env, st: max([fstart(env, st), *values(env, st)])
        combine = sum if op == "sum" else math.prod
        return k.big(op, lo, hi, body), lambda env, st: combine(values(env, st))

    def boolean(self, depth: int, bound: int = 0) -> tuple[Term, Any]:
        r = self.r
        choice = r.random()
        if depth > 0 and choice < 0.45:
            (a, fa), (b, fb) = self.boolean(depth - 1, bound), self.boolean(depth - 1, bound)
            match r.choice(["and", "or", "not", "eq"]):
                case "and":
                    return k.and_(a, b), lambda env, st: fa(env, st) and fb(env, st)
                case "or":
                    return k.or_(a, b), lambda env, st: fa(env, st) or fb(env, st)
                case "eq":
                    return k.eq(a, b), lambda env, st: fa(env, st) == fb(env, st)
                case _:
                    return k.not_(a), lambda env, st: not fa(env, st)
        make = self.integer if choice < 0.85 else self.real
        (a, fa), (b, fb) = make(depth - 1 if depth else 0, bound), make(depth - 1 if depth else 0, bound)
        match r.choice(["le", "lt", "eq"]):
            case "le":
                return k.le(a, b), lambda env, st: fa(env, st) <= fb(env, st)
            case "lt":
                return k.lt(a, b), lambda env, st: fa(env, st) < fb(env, st)
            case _:
                return k.eq(a, b), lambda env, st: fa(env, st) == fb(env, st)


def make(seed: int, kind: str, depth: int = 4) -> tuple[Term, Any]:
    maker = TermMaker(Random(seed))
    return {"int": maker.integer, "real": maker.real, "bool": maker.boolean}[kind](depth)


__all__ = ["BOOL", "TermMaker", "environment", "evaluate", "make"]
