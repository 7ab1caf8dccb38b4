"""Signs of real terms: which of negative, zero and positive a term can be where the facts hold.

A sign is a set of these three, as bits. Signs of products, sums, big operators and functions follow from those of their parts. A
square is multiplied out, and the summands of it have no sign: the guide proposes squares, and it is checked that what is left
after subtracting them has a sign.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import reduce
from itertools import product
from math import lcm
from operator import or_
from typing import Protocol

from optigpu.logic import terms as k
from optigpu.logic.records import record
from optigpu.logic.terms import EXPONENTIALS, INT, ONE, REAL, Monomial, Term

NEGATIVE, ZERO, POSITIVE = 1, 2, 4
ANY = NEGATIVE | ZERO | POSITIVE
NOT_NEGATIVE = ZERO | POSITIVE
_VALUES = {-1: NEGATIVE, 0: ZERO, 1: POSITIVE}
MAX_SIGN_DEPTH = 40  # of nested terms
MAX_CHOICES = 4  # inside each other whose conditions a sign may depend on: n choices would make 2^n cases


@record
class Square:
    """factor * Sum(root * root) over the ranges, outermost first: not negative where the factor is not.

    The root is under the binders of the ranges, a range under those before it.
    """

    factor: Term
    ranges: tuple[tuple[Term, Term], ...]
    root: Term

    def expanded(self) -> Term:
        body = k.mul(self.root, self.root)
        for low, high in reversed(self.ranges):
            body = k.big("sum", low, high, body)
        return k.mul(self.factor, body)


def is_square(s: object) -> bool:
    """Is it a square of exactly the types that it should have? Squares come from outside of the kernel."""
    if (
        type(s) is not Square
        or type(s.ranges) is not tuple
        or any(type(r) is not tuple or len(r) != 2 for r in s.ranges)
    ):
        return False
    return all(type(t) is Term for t in (s.factor, s.root, *(t for r in s.ranges for t in r)))


class Premises(Protocol):
    """What the signs of terms follow from: the facts (logic/facts.py)."""

    @property
    def items(self) -> tuple[Term, ...]: ...

    @property
    def known(self) -> frozenset[Term]: ...

    def nonneg(self, p: Term) -> bool: ...

    def reduce(self, t: Term) -> Term: ...

    def sign(self, t: Term) -> int: ...

    def where(self, c: Term) -> Premises: ...

    def inside(self, low: Term, high: Term, body: Term) -> tuple[Premises, Term]: ...

    def squares(self, p: Term) -> list[tuple[Square, ...]]: ...


class Signs:
    """The signs of closed real terms where facts hold; those that were asked for are remembered."""

    def __init__(self, facts: Premises) -> None:
        self.facts = facts
        self._of: dict[Term, int] = {}
        self._stated = stated_signs(facts.items)  # of monomials
        self._depth = 0

    def of(self, x: Term) -> int:
        """The sign of a closed real term whose parts are simplified."""
        if x not in self._of:
            if x.level or x.sort is not REAL or self._depth > MAX_SIGN_DEPTH:
                return ANY
            self._of[x] = ANY  # while it is being found
            self._depth += 1
            self._of[x] = self._atom(x) if x.op not in ("poly", "num") else self._polynomial(x)
            self._depth -= 1
        return self._of[x]

    def _polynomial(self, x: Term) -> int:
        cs = k.coefficients(x)
        sign = ZERO
        for m, c in cs.items():
            sign = _plus(sign, _times(_number(c), self._monomial(m)))
        if len(cs) < 2:
            return sign
        sign &= self._compared(x)
        if all(a.op == "real" for m in cs for a in m):  # an integer, but for a positive number
            scale = lcm(*(Fraction(c).denominator for c in cs.values()))
            sign &= self._integer(
                k.polynomial({tuple(sorted(a.args[0] for a in m)): int(c * scale) for m, c in cs.items()}, INT)
            )
        if sign == ANY:
            sign = self._by_squares(x)
        return sign if sign != ANY else _times(NEGATIVE, self._by_squares(k.neg(x)))

    def _compared(self, x: Term) -> int:
        """What facts that compare the whole polynomial with 0 say."""
        zero, known, sign = k.num(0, REAL), self.facts.known, ANY
        for fact, possible in (
            (k.le(zero, x), NOT_NEGATIVE), (k.lt(zero, x), POSITIVE), (k.le(x, zero), NEGATIVE | ZERO), (k.lt(x, zero), NEGATIVE),
            (k.not_(k.eq(x, zero)), NEGATIVE | POSITIVE),
        ):  # fmt: skip
            sign &= possible if fact in known else ANY
        return sign

    def _by_squares(self, x: Term) -> int:
        """x is what the squares leave, plus numbers that are not negative."""
        for squares in self.facts.squares(x):
            expanded = [k.num(0, REAL), *(s.expanded() for s in squares)]
            if any(self.of(self.facts.reduce(s.factor)) & NEGATIVE for s in squares) or any(t.level for t in expanded):
                continue  # `of` a term with a loose index is any sign
            rest, least = self.facts.reduce(k.sub(x, k.add(*expanded))), ZERO
            for m, c in k.coefficients(rest).items():
                least = _plus(least, _times(_number(c), self._monomial(m)))
            if not least & NEGATIVE:
                return POSITIVE if least == POSITIVE else NOT_NEGATIVE
        return ANY

    def _monomial(self, m: Monomial) -> int:
        """Of a product: a factor that occurs an even number of times counts as a square. Integers are multiplied first."""
        sign = self._stated.get(m, ANY)
        product_sign, integers = POSITIVE, [a.args[0] for a in m if a.op == "real"]
        for a in dict.fromkeys(m):
            times = self.of(a)
            squared = _square(times)
            for factor in [squared] * (m.count(a) // 2) + [times] * (m.count(a) % 2):
                product_sign = _times(product_sign, factor)
        if len(integers) > 1 and len(integers) == len(m):
            sign &= self._integer(k.mul(*integers))
        return sign & product_sign

    def _integer(self, i: Term) -> int:
        sign = ANY
        for possible, least in (
            (POSITIVE, k.sub(i, ONE)), (NOT_NEGATIVE, i), (NEGATIVE, k.sub(k.neg(i), ONE)), (NEGATIVE | ZERO, k.neg(i)),
        ):  # fmt: skip
            if sign & ~possible and self.facts.nonneg(least):
                sign &= possible
        return sign & (NEGATIVE | POSITIVE) if k.not_(k.eq(i, k.ZERO)) in self.facts.known else sign

    def _atom(self, a: Term) -> int:
        """The sign of an atom, by its operator and by the facts."""
        sign = self._stated.get((a,), ANY)
        match a.op:
            case "real":
                return sign & self._integer(a.args[0])
            case "inv":  # 1 / 0 is 0
                return sign & self.of(a.args[0])
            case "app":
                return sign & self._function(a)
            case "max" if k.is_absolute(a):
                return sign & _square(self.of(a.args[0]))
            case "max":
                out = self.of(a.args[0])
                for x in a.args[1:]:
                    out = _greatest(out, self.of(x))
                return sign & out
            case "ite":
                c, x, y = a.args
                if len(set(k.subterms_with(a, "ite"))) > MAX_CHOICES:
                    return sign & (self.of(x) | self.of(y))
                then, other = self.facts.where(c), self.facts.where(k.not_(c))
                return sign & (then.sign(then.reduce(x)) | other.sign(other.reduce(y)))
            case "sum" | "prod" | "fold_max":
                return sign & self._big(a)
            case _:
                return sign

    def _function(self, a: Term) -> int:
        if k.is_function(a, EXPONENTIALS):
            return POSITIVE
        if k.is_function(a, ("sqrt",)):
            sign = self.of(a.args[1])
            return ANY if sign & NEGATIVE else sign
        if k.is_function(a, ("pow",)):
            return POSITIVE if self.of(a.args[1]) == POSITIVE else ANY
        return ANY

    def _big(self, a: Term) -> int:
        *initial, low, high, body = a.args
        inner, value = self.facts.inside(low, high, body)
        each = inner.sign(inner.reduce(value))
        if a.op == "fold_max":
            first = self.of(initial[0])
            some = _greatest(first, each)
            return some if self._is_not_empty(low, high) else first | some
        unit = ZERO if a.op == "sum" else POSITIVE
        total = each
        for _ in range(3):  # closed under the operation
            total |= (_plus if a.op == "sum" else _times)(total, each)
        return total if total & unit == unit or self._is_not_empty(low, high) else total | unit

    def _is_not_empty(self, low: Term, high: Term) -> bool:
        return self.facts.nonneg(k.sub(k.sub(high, low), ONE))


def stated_signs(items: Iterable[Term]) -> dict[Monomial, int]:
    """Signs that facts state: of m, from c * m + d compared with 0. The factors of a product that is not 0 are not 0."""
    out: dict[Monomial, int] = {}
    for item in items:
        negated = item.op == "not" and item.args[0].op == "eq"
        comparison = item.args[0] if negated else item
        cs = k.coefficients(comparison.args[0]) if comparison.op in ("le", "lt", "eq") else {}
        d = cs.pop((), 0)
        real = k.coefficients(k.to_real(k.polynomial(cs, comparison.args[0].sort))) if len(cs) == 1 else {}
        for m, c in real.items() if len(real) == 1 else ():
            out[m] = out.get(m, ANY) & (sign := _possible(comparison.op, negated, c, d))
            for a in m if not sign & ZERO and len(m) > 1 else ():
                out[(a,)] = out.get((a,), ANY) & ~ZERO
    return out


def _possible(op: str, negated: bool, c: int | Fraction, d: int | Fraction) -> int:
    """The signs of m with c * m + d <= 0, < 0 or = 0, or (negated) with c * m + d != 0."""
    if negated:
        return ANY if d else ANY & ~ZERO
    if op == "eq":
        return _number(-d * c)
    sign = NEGATIVE if d > 0 or (d == 0 and op == "lt") else NEGATIVE | ZERO if d == 0 else ANY
    return _times(_number(c), sign)


def _number(c: int | Fraction) -> int:
    return POSITIVE if c > 0 else NEGATIVE if c < 0 else ZERO


def _results(operation: Callable[[int, int], int | None]) -> Callable[[int, int], int]:
    """The operation on signs: all signs that its results can have; None stands for any."""
    table = {}
    for a, b in product(range(ANY + 1), repeat=2):
        pairs = [operation(x, y) for x, y in product(_VALUES, _VALUES) if a & _VALUES[x] and b & _VALUES[y]]
        table[a, b] = ANY if None in pairs else reduce(or_, (_VALUES[s] for s in pairs if s is not None), 0)
    return lambda a, b: table[a, b]


_times = _results(lambda a, b: a * b)
_plus = _results(lambda a, b: None if a * b < 0 else a or b)
_greatest = _results(max)


def _square(sign: int) -> int:
    return (sign & ZERO) | (POSITIVE if sign & ~ZERO else 0)
