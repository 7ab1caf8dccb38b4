"""Values for reals and functions besides the integers of a sample: two values that differ in such a model are not equal.

Nothing rests on this: a proof that is not looked for is not found.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any
from zlib import crc32

from optigpu.logic.facts import Facts
from optigpu.logic.terms import INT, REAL, Term
from optigpu.search.samples import Sample, Undefined, advice, evaluate

STEPS = 3000  # subterms evaluated in one model for one question
MANY = 60_000  # and for one that much depends on
UNIVERSAL = ("all", "forall")
SPREAD = 2003  # how many values functions have


def differ(facts: Facts, a: Term, b: Term, *, thorough: bool = False) -> bool:
    """Is there a model of the facts in which a and b are not equal?"""
    a, b = facts.apply(a), facts.apply(b)  # samples are of the variables that the items have
    return any(m.tells_apart(a, b, MANY if thorough else STEPS) for m in _models(facts, False))


def refuted(facts: Facts, goal: Term) -> bool:
    """Is there a model of the facts in which the goal is false?"""
    goal = facts.apply(goal)
    return any(m.says(goal) is False for m in _models(facts, False))


def hopeless(facts: Facts, goal: Term) -> bool:
    """Is the goal false in a model of the ground facts in which big operators are unknown numbers, as a solver sees them?"""
    return any(m.says(goal) is False for m in _models(facts, True))


def _models(facts: Facts, blind: bool) -> list[_Model]:
    remembered = advice(facts)
    if blind not in remembered.models:
        items = [i for i in facts.items if not (blind and i.op in UNIVERSAL)]
        found = [_Model(env, blind) for env in remembered.samples]
        remembered.models[blind] = [m for m in found if all(m.says(i) for i in items)]
    return remembered.models[blind]


class _Model:
    """A sample, with functions of which nothing is known but their name: their values are arbitrary, and the same in every run.

    `blind`: big operators and mathematical functions are arbitrary too. They are positive, as any of them may be known to be.
    """

    def __init__(self, env: Sample, blind: bool) -> None:
        self.env, self.left, self.blind = env, STEPS, blind

    def tells_apart(self, a: Term, b: Term, steps: int) -> bool:
        self.left = steps
        try:
            return bool(self.value(a) != self.value(b))
        except Undefined:
            return False

    def says(self, prop: Term) -> bool | None:
        if all(x.sort is INT for x in prop.free):
            try:
                return bool(evaluate(prop, self.env))  # quicker, where it is enough
            except Undefined:
                pass
        self.left = STEPS
        try:
            return bool(self.value(prop))
        except Undefined:
            return None

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
            case "app" if t.args[0].op == "var" and (self.blind or not _mathematical(t.args[0])):
                value = self.arbitrary(t.args[0], tuple(self.value(x, bound) for x in t.args[1:]))
                return abs(value) + 1 if _mathematical(t.args[0]) else value
            case "sum" | "prod" | "fold_max" if self.blind:
                return t.key % SPREAD + 1
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


def _mathematical(f: Term) -> bool:
    return str(f.data).startswith("fn:")
