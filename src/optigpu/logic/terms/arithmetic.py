"""Numbers: polynomials over atoms, division, bit operations, extrema, and reals.

A number is a sum of coefficients times monomials, a monomial a sorted tuple of atoms. So two numbers that are equal by the laws of
commutative rings are the same term. A monomial has at most one exponential of each base, and a reciprocal is one of a sum without
common factors: exp(a) * exp(b) is exp(a + b), 1 / exp(a) is exp(-a), 1 / (a * b) is (1 / a) * (1 / b), where 1 / 0 is 0.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial, reduce
from itertools import pairwise
from math import gcd
from operator import xor

from optigpu.logic.names import Origin
from optigpu.logic.terms.core import (
    CONSTRUCTORS,
    INT,
    REAL,
    ZERO,
    Coefficients,
    Monomial,
    Sort,
    Term,
    constructor,
    expect,
    interned,
    is_num,
    is_zero,
    num,
)

MOST_SUMMANDS = 300_000  # of a product: far beyond what proofs are about
MOST_ORDERS = 200_000  # monomials whose order is remembered
EXPONENTIALS = ("exp", "exp2")  # functions f with f(a) * f(b) = f(a + b), f(0) = 1 and f(a) > 0


def coefficients(t: Term) -> Coefficients:
    """A number as a sum of coefficients times monomials (sorted tuples of atoms; the empty one is the constant)."""
    if t.op == "poly":
        return dict(t.data)
    if t.op == "num":
        return {(): t.data} if t.data != 0 else {}
    return {(t,): 1}


def polynomial(cs: Coefficients, sort: Sort) -> Term:
    """The sum of these coefficients times their monomials: a number, an atom, or a polynomial with at least one summand."""
    items = [(m, cs[m]) for m in (sorted(cs, key=_ORDERS.__getitem__) if len(cs) > 1 else cs) if cs[m] != 0]
    if not items:
        return num(0, sort)
    if len(items) == 1:
        m, c = items[0]
        if not m:
            return num(c, sort)
        if c == 1 and len(m) == 1:
            return m[0]
    return interned("poly", (), sort, tuple(items))


def monomial_order(m: Monomial) -> tuple[int, ...]:
    """Orders monomials by degree, then by their atoms."""
    return (len(m), *[a.key for a in m])


class _Orders(dict[Monomial, tuple[int, ...]]):
    """The order of monomials that were compared lately."""

    def __missing__(self, m: Monomial) -> tuple[int, ...]:
        if len(self) > MOST_ORDERS:
            self.clear()
        order = self[m] = monomial_order(m)
        return order


_ORDERS = _Orders()


def add(*xs: Term) -> Term:
    out = coefficients(xs[0])
    for x in xs[1:]:
        for m, c in x.data if x.op == "poly" else coefficients(x).items():
            out[m] = out.get(m, 0) + c
    return polynomial(out, _common(xs))


def scale(c: int | Fraction, x: Term) -> Term:
    """c * x for a number c."""
    if c != 0 and x.op == "poly" and len(x.data) > 1:  # no summand vanishes, and their order stays
        return interned("poly", (), x.sort, tuple([(m, c * d) for m, d in x.data]))
    return polynomial({m: c * d for m, d in coefficients(x).items()}, x.sort)


def neg(x: Term) -> Term:
    return scale(-1, x)


def sub(a: Term, b: Term) -> Term:
    sort = _common((a, b))
    if is_zero(b):
        return a
    out = coefficients(a)
    for m, c in b.data if b.op == "poly" else coefficients(b).items():
        out[m] = out.get(m, 0) - c
    return polynomial(out, sort)


def mul(*xs: Term) -> Term:
    """A product, multiplied out. Conditions of guarded factors are moved outwards."""
    sort = _common(xs)
    out = coefficients(xs[0])
    for x in xs[1:]:
        left, right, out = out, coefficients(x), {}
        if len(left) * len(right) > MOST_SUMMANDS:
            raise MemoryError("a product of too many summands")
        for m1, c1 in left.items():
            for m2, c2 in right.items():
                m = tuple(sorted(m1 + m2)) if m1 and m2 else m1 or m2
                out[m] = out.get(m, 0) + c1 * c2
    combined = {m: term for m in out if len(m) > 1 and (term := _combined(m, sort)) is not None}
    if not combined:
        return polynomial(out, sort)
    rest = polynomial({m: c for m, c in out.items() if m not in combined}, sort)
    return add(rest, *(scale(out[m], term) for m, term in combined.items()))


def _combined(m: Monomial, sort: Sort) -> Term | None:
    """A monomial with factors that a law combines: guarded values, exponentials, and the square of an absolute value."""
    if any(is_guarded(a) for a in m):
        return _absorb(m, sort)
    if sort is REAL:
        powers = [a for a in m if is_function(a, EXPONENTIALS)]
        same = [a for a in powers if len(powers) > 1 and a.args[0] is powers[0].args[0]]
        same = same if len(same) > 1 else [a for a in powers[1:] if a.args[0] is powers[-1].args[0]]
        if len(same) > 1:
            return mul(exponential(same[0].args[0], add(*(a.args[1] for a in same))), *_without(m, same))
    twice = next((a for a, b in pairwise(m) if a is b and is_absolute(a)), None)
    return None if twice is None else mul(twice.args[0], twice.args[0], *_without(m, [twice, twice]))


def _without(m: Monomial, factors: list[Term]) -> list[Term]:
    rest = list(m)
    for f in factors:
        rest.remove(f)
    return rest


def is_function(t: Term, stems: tuple[str, ...]) -> bool:
    """Is it an application of one of these mathematical functions?"""
    if t.op != "app" or t.args[0].op != "var":
        return False
    name = t.args[0].data
    return name.origin is Origin.FUNCTION and name.stem in stems


def is_absolute(t: Term) -> bool:
    """Is it max(x, -x)?"""
    return t.op == "max" and len(t.args) == 2 and t.args[0] is neg(t.args[1])


def exponential(f: Term, x: Term) -> Term:
    """f(x) for an exponential f: 1 at 0, and powers of two at small integers."""
    if is_zero(expect(REAL, x)):
        return num(1, REAL)
    if is_num(x) and f.data.stem == "exp2" and x.data.denominator == 1 and abs(x.data) <= 64:
        return num(Fraction(2) ** int(x.data), REAL)
    return interned("app", (f, x), REAL)


def is_guarded(a: Term) -> bool:
    """Is it `c ? v : 0`?"""
    return a.op == "ite" and is_zero(a.args[2])


def _absorb(m: Monomial, sort: Sort) -> Term:
    """x * (c ? v : 0) is c ? x * v : 0, so that the condition is outermost."""
    guards = [a.args[0] for a in m if is_guarded(a)]
    factors = [a.args[1] if is_guarded(a) else a for a in m]
    return CONSTRUCTORS["ite"](CONSTRUCTORS["and"](*guards), mul(*factors), num(0, sort))


def _common(xs: tuple[Term, ...]) -> Sort:
    sort = expect(xs[0].sort, *xs).sort
    if not sort.numeric:
        raise TypeError(f"not a number: {sort.name}")
    return sort


@constructor("fdiv")
def fdiv(a: Term, b: Term) -> Term:
    """Floor division of integers (unspecified for b = 0). Multiples of a constant divisor are taken out."""
    expect(INT, a, b)
    if is_num(b) and b.data != 0:
        k = b.data
        if k < 0:
            return fdiv(neg(a), num(-k))
        cs = coefficients(a)
        quotient = polynomial({m: c // k for m, c in cs.items()}, INT)
        rest = {m: c % k for m, c in cs.items() if c % k}
        if not any(rest):  # only a constant below k is left
            return quotient
        g = gcd(k, *(c for m, c in rest.items() if m))
        if g > 1:
            rest = {m: c // g for m, c in rest.items()}  # (g*r + c) div (g*k) = (r + c div g) div k, for g > 0
            return add(quotient, fdiv(polynomial(rest, INT), num(k // g)))
        r = polynomial(rest, INT)
        if r.op == "fdiv" and is_num(r.args[1]) and r.args[1].data > 0:  # (x div m) div n = x div (m*n), for n > 0
            return add(quotient, fdiv(r.args[0], num(r.args[1].data * k)))
        return add(quotient, interned("fdiv", (r, num(k)), INT))
    return interned("fdiv", (a, b), INT)


def fmod(a: Term, b: Term) -> Term:
    """a - b * (a div b): at least 0 and below b, for b > 0."""
    return sub(a, mul(b, fdiv(a, b)))


@constructor("pow2")
def pow2(k: Term) -> Term:
    """2 to the k, for k >= 0 (unspecified for k < 0)."""
    if is_num(expect(INT, k)) and 0 <= k.data <= 64:
        return num(1 << k.data)
    return interned("pow2", (k,), INT)


def bitwise(op: str, a: Term, b: Term) -> Term:
    """band, bor, bxor of integers in two's complement, a negative one with infinitely many leading ones.

    `x & (2^k - 1)` is the remainder of x by 2^k.
    """
    expect(INT, a, b)
    if is_num(a) and is_num(b):
        x, y = a.data, b.data
        return num({"band": x & y, "bor": x | y, "bxor": x ^ y}[op])
    if op == "bxor":  # x ^ x is 0, x ^ 0 is x, and numbers are combined into one
        parts = frozenset(_operands(a)) ^ frozenset(_operands(b))
        number = reduce(xor, [p.data for p in parts if is_num(p)], 0)
        args = sorted(p for p in parts if not is_num(p)) + [num(number)] * (number != 0)
        return reduce(lambda x, y: interned(op, (x, y), INT), args) if args else ZERO
    if a is b or (op == "bor" and ZERO in (a, b)):
        return b if a is ZERO else a
    if op == "band":
        for x, mask in ((a, b), (b, a)):
            if is_num(mask) and mask.data >= 0 and (mask.data + 1) & mask.data == 0:
                return fmod(x, num(mask.data + 1))
    return interned(op, tuple(sorted((a, b))), INT)


CONSTRUCTORS |= {op: partial(bitwise, op) for op in ("band", "bor", "bxor")}


def _operands(x: Term) -> tuple[Term, ...]:
    """The operands of an exclusive or, each once; a number comes last."""
    return (*_operands(x.args[0]), x.args[1]) if x.op == "bxor" else (x,)


@constructor("max")
def max_(*xs: Term) -> Term:
    """The greatest. Of arguments that differ by a constant only one is kept. A fold takes the others as its initial value."""
    sort = _common(xs)
    kept: list[Term] = []
    for a in sorted({y for x in xs for y in (x.args if x.op == "max" else (x,))}):
        for i, b in enumerate(kept):
            if is_num(d := sub(a, b)):
                kept[i] = a if d.data > 0 else b
                break
        else:
            kept.append(a)
    folds = [a for a in kept if a.op == "fold_max"]
    if folds and len(kept) > 1:
        initial, low, high, body = folds[-1].args
        return CONSTRUCTORS["fold_max"](max_(initial, *(a for a in kept if a is not folds[-1])), low, high, body)
    return kept[0] if len(kept) == 1 else interned("max", tuple(sorted(kept)), sort)


def min_(*xs: Term) -> Term:
    return neg(max_(*(neg(x) for x in xs)))


@constructor("real")
def to_real(x: Term) -> Term:
    """An integer as a real. This is a ring homomorphism, so it is applied to the atoms; also inside choices and sums."""
    if x.sort is REAL:
        return x
    out = [scale(c, mul(num(1, REAL), *(_real_atom(a) for a in m))) for m, c in coefficients(expect(INT, x)).items()]
    return add(num(0, REAL), *out)


def _real_atom(a: Term) -> Term:
    if a.op == "ite":
        return CONSTRUCTORS["ite"](a.args[0], to_real(a.args[1]), to_real(a.args[2]))
    if a.op == "sum":
        return CONSTRUCTORS["sum"](a.args[0], a.args[1], to_real(a.args[2]))
    return interned("real", (a,), REAL)


@constructor("trunc")
def trunc(x: Term) -> Term:
    """A real as an integer, rounded towards zero."""
    if is_num(expect(REAL, x)):
        return num(int(x.data))
    if x.op == "real":
        return x.args[0]
    return interned("trunc", (x,), INT)


@constructor("inv")
def inv(x: Term) -> Term:
    """1 / x for a real x, and 0 for 0: so 1 / (a * b) = (1 / a) * (1 / b) and 1 / (1 / a) = a for all numbers.

    Common factors of the summands are taken out, and so is the first coefficient.
    """
    if is_num(expect(REAL, x)):
        return x if x.data == 0 else num(Fraction(1) / x.data, REAL)
    number, factors, rest = content(x)
    inverse = [interned("inv", (rest,), REAL)] if not is_num(rest) else []
    return scale(Fraction(1) / number, mul(num(1, REAL), *(_inverse(a) for a in factors), *inverse))


def _inverse(a: Term) -> Term:
    """1 / a for an atom a."""
    if a.op == "inv":
        return a.args[0]
    return exponential(a.args[0], neg(a.args[1])) if is_function(a, EXPONENTIALS) else interned("inv", (a,), REAL)


def content(x: Term) -> tuple[Fraction, Monomial, Term]:
    """(c, factors, rest) with x = c * product of the factors * rest, for a number c != 0 and a rest without common factors.

    x is real and not 0. Of exponentials, the factor is the one of the smallest exponent: for each monomial of the exponents, its
    smallest coefficient among the summands of x, 0 where it does not occur.
    """
    cs = coefficients(x)
    if len(cs) == 1:
        ((m, c),) = cs.items()
        return Fraction(c), m, num(1, REAL)
    common = [a for a in dict.fromkeys(next(iter(cs))) for _ in range(min(m.count(a) for m in cs))]
    common = [a for a in common if not is_function(a, EXPONENTIALS)]
    for f in dict.fromkeys(a.args[0] for m in cs for a in m if is_function(a, EXPONENTIALS)):
        exponents = [next((coefficients(a.args[1]) for a in m if a.op == "app" and a.args[0] is f), {}) for m in cs]
        least = {n: min(e.get(n, 0) for e in exponents) for n in dict.fromkeys(n for e in exponents for n in e)}
        shift = polynomial(least, REAL)
        common += [] if is_zero(shift) else [exponential(f, shift)]
    if common:
        inverse = [_inverse(a) for a in common if is_function(a, EXPONENTIALS)]
        plain = [a for a in common if not is_function(a, EXPONENTIALS)]
        x = mul(polynomial({tuple(_without(m, plain)): c for m, c in cs.items()}, REAL), num(1, REAL), *inverse)
    cs = coefficients(x)
    c = Fraction(cs[min(cs, key=monomial_order)])
    return c, tuple(common), scale(1 / c, x)
