"""Laws of powers of two with symbolic exponents, `1 << e`.

`pow2(e)` is 2 to the e for e >= 0, and for e < 0 some number of which nothing is known. So every law here is for exponents that are
shown not to be negative; `nonneg` is the proof of that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from optigpu.logic import terms as k
from optigpu.logic.terms import INT, ONE, ZERO, Term

Nonnegative: TypeAlias = Callable[[Term], bool]  # is this integer shown not to be negative?
MOST_FACTORS = 64  # of two, that are taken out of a power
MOST_COMPARED = 8  # powers that are compared with each other


def factored(power: Term, nonneg: Nonnegative) -> Term:
    """2^e = 2^c * 2^(e - c), for the greatest number c <= 64 with e - c >= 0 (and none if e >= 0 is not shown).

    So powers whose exponents differ by a number are multiples of one atom: for e >= 1, `1 << e` is 2 * `1 << (e - 1)`.
    """
    (e,) = power.args
    if power.level > 0 or not nonneg(e):
        return power
    c = 0
    while c < MOST_FACTORS and nonneg(k.sub(e, k.num(c + 1))):
        c += 1
    return k.scale(1 << c, k.pow2(k.sub(e, k.num(c))))


def multiplied(p: Term, nonneg: Nonnegative) -> Term:
    """2^a * 2^b = 2^(a + b), for a, b >= 0, in each monomial of a polynomial."""
    summands: list[Term] = []
    for m, c in k.coefficients(p).items():
        powers = [a for a in m if is_power(a) and nonneg(a.args[0])]
        if len(powers) < 2:
            summands.append(k.polynomial({m: c}, INT))
            continue
        product = factored(k.pow2(k.add(*(a.args[0] for a in powers))), nonneg)
        summands.append(k.scale(c, k.mul(product, *(a for a in m if a not in powers))))
    return k.add(ZERO, *summands)


def has_product_of_powers(p: Term) -> bool:
    return any(sum(is_power(a) for a in m) > 1 for m in k.coefficients(p))


def is_power(a: Term) -> bool:
    return a.op == "pow2" and a.level == 0


def with_factor(t: Term, divisor: Term, nonneg: Nonnegative) -> Term:
    """t with 2^c * 2^a written as 2^(a + c - b) * 2^b, for a, b >= 0 and a + c - b >= 0, if 2^b is the only atom of the divisor.

    2^c is the greatest power of two that divides the coefficient of 2^a.
    """
    atoms = divisor.parts if divisor.op == "poly" else (divisor,)
    if len(atoms) != 1 or not is_power(atoms[0]) or not nonneg(atoms[0].args[0]):
        return t
    (b,) = atoms[0].args
    summands: list[Term] = []
    for m, number in k.coefficients(t).items():
        factors = list(m)
        twos = (number & -number).bit_length() - 1
        for at, a in enumerate(m if atoms[0] not in m else ()):
            rest = k.sub(k.add(a.args[0], k.num(twos)), b) if is_power(a) else None
            if rest is not None and nonneg(a.args[0]) and nonneg(rest):
                factors[at], number = k.mul(factored(k.pow2(rest), nonneg), atoms[0]), number >> twos
                break
        summands.append(k.scale(number, k.mul(ONE, *factors)))
    return k.add(ZERO, *summands)


def bounds_of_powers(powers: Iterable[Term], others: Iterable[Term], nonneg: Nonnegative) -> Iterator[Term]:
    """Inequalities of powers with exponents a, b >= 0.

    2^a >= 1; 2^a <= 2^n if a <= n, for a number n; 2^c * 2^a <= 2^b if a + c <= b, and 2^a <= 2^c * 2^b if a <= b + c, for a number
    c >= 0.
    """
    natural = [p for p in powers if nonneg(p.args[0])][:MOST_COMPARED]
    known = list(dict.fromkeys((*natural, *(p for p in others if nonneg(p.args[0])))))[: 2 * MOST_COMPARED]
    for p in natural:
        (a,) = p.args
        yield k.le(ONE, p)
        most = next((n for n in range(MOST_FACTORS) if nonneg(k.sub(k.num(n), a))), None)
        if most is not None:
            yield k.le(p, k.num(1 << most))
        for q in known:
            for low, high in ((p, q), (q, p)) if p is not q else ():
                distance = k.sub(high.args[0], low.args[0])
                c = -1
                while c < MOST_FACTORS and nonneg(k.sub(distance, k.num(c + 1))):
                    c += 1
                wider = next((d for d in range(1, MOST_COMPARED) if c < 0 and nonneg(k.add(distance, k.num(d)))), None)
                if c >= 0:
                    yield k.le(k.scale(1 << c, low), high)
                elif wider is not None:
                    yield k.le(low, k.scale(1 << wider, high))
