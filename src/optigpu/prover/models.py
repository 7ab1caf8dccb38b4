"""Values for reals and functions besides the integers of a sample: two values that differ in such a model are not equal.

Nothing rests on this: a proof that is not looked for is not found.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any
from zlib import crc32

from optigpu.kernel.facts import Facts
from optigpu.kernel.terms import INT, REAL, Term
from optigpu.prover.guide import samples
from optigpu.prover.samples import Sample, Undefined

STEPS = 3000  # subterms evaluated for one model
SPREAD = 2003  # how many values functions have


def differ(facts: Facts, a: Term, b: Term) -> bool:
    """Is there a model of the facts in which a and b are not equal?"""
    if any(i.op in ("all", "forall") for i in facts.items):
        return False
    a, b = facts.apply(a), facts.apply(b)  # samples are of the variables that the items have
    return any(_Model(env).tells_apart(facts.items, a, b) for env in samples(facts))


class _Model:
    """A sample, with functions of which nothing is known but their name: their values are arbitrary, and the same in every run."""

    def __init__(self, env: Sample) -> None:
        self.env, self.left = env, STEPS

    def tells_apart(self, items: Sequence[Term], a: Term, b: Term) -> bool:
        try:
            return all(self.value(i) for i in items) and bool(self.value(a) != self.value(b))
        except Undefined:
            return False

    def value(self, t: Term, bound: tuple[int, ...] = ()) -> Any:
        self.left -= 1
        if self.left < 0:
            raise Undefined
        match t.op:
            case "num":
                return t.data
            case "true" | "false":
                return t.op == "true"
            case "bound" if t.data < len(bound):
                return bound[-1 - t.data]
            case "var":
                return self.env[t] if t in self.env else self.arbitrary(t, ())
            case "app" if t.args[0].op == "var" and not str(t.args[0].data).startswith("fn:"):
                return self.arbitrary(t.args[0], tuple(self.value(x, bound) for x in t.args[1:]))
            case "poly":
                return sum(self.monomial(m, c, bound) for m, c in t.data)
            case "ite":
                return self.value(t.args[1 if self.value(t.args[0], bound) else 2], bound)
            case "and":
                return all(self.value(x, bound) for x in t.args)
            case "or":
                return any(self.value(x, bound) for x in t.args)
            case "sum" | "prod" | "all" | "fold_max":
                return self.big(t, bound)
            case _:
                return self.operation(t.op, [self.value(x, bound) for x in t.args])

    def arbitrary(self, f: Term, args: tuple[Any, ...]) -> int:
        if (f.sort.result or f.sort) not in (INT, REAL):
            raise Undefined
        return crc32(f"{f.data}{args}".encode()) % SPREAD - SPREAD // 2

    def monomial(self, m: tuple[Term, ...], c: Any, bound: tuple[int, ...]) -> Any:
        for a in m:
            c *= self.value(a, bound)
        return c

    def big(self, t: Term, bound: tuple[int, ...]) -> Any:
        *start, low, high = (self.value(x, bound) for x in t.args[:-1])
        if high - low > self.left:
            raise Undefined
        values = [self.value(t.args[-1], (*bound, i)) for i in range(low, high)]
        match t.op:
            case "sum":
                return sum(values)
            case "prod":
                out: Any = 1
                for v in values:
                    out *= v
                return out
            case "all":
                return all(values)
            case _:
                return max(start + values)

    def operation(self, op: str, args: list[Any]) -> Any:
        match op, args:
            case "fdiv", (a, b) if b != 0:
                return a // b
            case "inv", (a,) if a != 0:
                return Fraction(1) / a
            case "real", (a,):
                return a
            case "max", _:
                return max(args)
            case "le", (a,):
                return a <= 0
            case "lt", (a,):
                return a < 0
            case "eq", (a,):
                return a == 0
            case "not", (a,):
                return not a
            case _:
                raise Undefined
