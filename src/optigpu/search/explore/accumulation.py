"""Accumulators over a monoid: from `new = old (op) summand` in one iteration to the value after many of them.

`s = s + f(i)` is a sum, `if (x[i] > m) m = x[i];` a maximum, `ok = ok && p(i)` a conjunction. After the iterations low..high,
s holds its entry value plus the sum of f(i) over low..high.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import TypeAlias, assert_never

from optigpu.kernel.side_conditions import terms_of
from optigpu.light_dataclass import dataclass
from optigpu.logic import terms as k
from optigpu.logic.cells import Terms
from optigpu.logic.equality import maximum_parts
from optigpu.logic.terms import INT, TRUE, Term, instantiate


class Monoid(Enum):
    """An associative operation by which iterations accumulate a value."""

    SUM = auto()
    PRODUCT = auto()
    MAXIMUM = auto()
    MINIMUM = auto()  # -max(-old, summand): the summand is negated already
    ALL = auto()  # of truth values
    ANY = auto()
    FLAG_ALL = auto()  # of C's numbers 0 and 1: the first iteration makes any other number one of them
    FLAG_ANY = auto()


@dataclass(frozen=True, slots=True)
class Latch:
    """`if (condition) x = value;`, where the value is the same in all iterations; the summand is the condition."""

    value: Term


@dataclass(frozen=True, slots=True)
class Scaled:
    """`x = a(v) * x + b(v)`, with a weight h such that h(v + 1) * a(v) = h(v): the summand is h(v + 1) * b(v).

    The weight is under the binders of the cells and the iteration. Where it is 0, as in the first iteration for a mean, the value
    is said to be 0.
    """

    weight: Term


@dataclass(frozen=True, slots=True)
class Telescoped:
    """`x = x + G(v + 1) - G(v) + summand`, with a G that is 0 in the first iteration, under the binders of the cells and v."""

    offset: Term


@dataclass(frozen=True, slots=True)
class FirstMaximum:
    """`if (f(v) > best) { best = f(v); index = v; }`, beside the maximum of `initial` and f from `low` on: index is where that is
    reached first, unless f is never greater than `initial`."""

    initial: Term
    low: Term
    body: Term


Accumulator: TypeAlias = Monoid | Latch | Scaled | Telescoped | FirstMaximum
NUMERIC_MONOIDS = (Monoid.SUM, Monoid.PRODUCT, Monoid.MAXIMUM, Monoid.MINIMUM)
FLAG_MONOIDS = (Monoid.FLAG_ALL, Monoid.FLAG_ANY)


@dataclass(frozen=True, slots=True)
class MonoidStep:
    """What one iteration does to an accumulator: new = old (monoid) summand."""

    monoid: Monoid
    summand: Term


def at_cells(accumulator: Accumulator, xs: Terms) -> Accumulator:
    """The accumulator of the cells at these values of their binders: under the iteration alone."""
    args = (*xs, k.bound(0, INT))
    match accumulator:
        case Scaled(weight):
            return Scaled(instantiate(weight, args))
        case Telescoped(offset):
            return Telescoped(instantiate(offset, args))
        case _:
            return accumulator


def accumulated_value(accumulator: Accumulator, entry: Term, low: Term, high: Term, summand: Term) -> Term:
    """Combine the entry value with the summands of the iterations low..high; `summand` is under the iteration."""
    never = k.big("all", low, high, k.not_(summand)) if summand.sort is k.BOOL else TRUE
    match accumulator:
        case Latch(value):
            return k.ite(never, entry, value)
        case Scaled(weight):
            weighted = k.add(k.mul(instantiate(weight, (low,)), entry), k.big("sum", low, high, summand))
            return k.mul(k.inv(instantiate(weight, (high,))), weighted)
        case Telescoped(offset):
            return k.add(entry, instantiate(offset, (high,)), k.big("sum", low, high, summand))
        case FirstMaximum(initial, first, body):
            found = k.lt(initial, k.big("fold_max", first, high, body, initial))
            return k.ite(found, k.big("argmax", first, high, body), entry)
        case Monoid.SUM:
            return k.add(entry, k.big("sum", low, high, summand))
        case Monoid.PRODUCT:
            return k.mul(entry, k.big("prod", low, high, summand))
        case Monoid.MAXIMUM:
            return k.big("fold_max", low, high, summand, entry)
        case Monoid.MINIMUM:
            return k.neg(k.big("fold_max", low, high, summand, k.neg(entry)))
        case Monoid.ALL:
            return k.and_(entry, k.big("all", low, high, summand))
        case Monoid.ANY:
            return k.or_(entry, k.not_(never))
        case Monoid.FLAG_ALL:
            return _flag(k.and_(_is_set(entry), k.big("all", low, high, summand)), entry, low, high)
        case Monoid.FLAG_ANY:
            return _flag(k.or_(_is_set(entry), k.not_(never)), entry, low, high)
        case _:
            assert_never(accumulator)


def _is_set(number: Term) -> Term:
    return k.not_(k.eq(number, k.ZERO))


def _flag(holds: Term, entry: Term, low: Term, high: Term) -> Term:
    return k.ite(k.lt(low, high), k.ite(holds, k.ONE, k.ZERO), entry)


def accumulation(value: Term, old: Term, start: Term) -> MonoidStep | None:
    """Write `value` as `old (monoid) summand`, with a summand that does not read the contents `start`.

    The summand of a maximum may mention `old`, which then stands for the entry value: that never exceeds the current one.
    """
    if value.sort is k.BOOL:
        return _conjunction(value, old, start)
    summand = difference(value, old)
    if summand is not None and start not in summand.free:
        return MonoidStep(Monoid.SUM, summand)
    greatest = _maximum_summand(value, old, start)
    if greatest is not None:
        return MonoidStep(Monoid.MAXIMUM, greatest)
    least = _maximum_summand(_negated(value), k.neg(old), start)
    if least is not None:
        return MonoidStep(Monoid.MINIMUM, least)
    factor = _quotient(value, old)
    if factor is not None and start not in factor.free:
        return MonoidStep(Monoid.PRODUCT, factor)
    return _flag_step(value, old, start) if value.sort is INT else None


def _conjunction(value: Term, old: Term, start: Term) -> MonoidStep | None:
    """Recognise ok && p and ok || p by substituting true and false for ok."""
    if_true, if_false = (k.replace_subterms(value, {old: t}) for t in (TRUE, k.FALSE))
    if if_false is k.FALSE and start not in if_true.free:
        return MonoidStep(Monoid.ALL, if_true)
    if if_true is TRUE and start not in if_false.free:
        return MonoidStep(Monoid.ANY, if_false)
    return None


def _flag_step(value: Term, old: Term, start: Term) -> MonoidStep | None:
    """Recognise the same for a number that stands for a truth value: `ok = ok && p` is (ok != 0 && p) ? 1 : 0."""
    zero = k.eq(old, k.ZERO)
    if_set, if_not = (k.replace_subterms(value, {zero: t}) for t in (k.FALSE, TRUE))
    for monoid, fixed, other in ((Monoid.FLAG_ALL, if_not, if_set), (Monoid.FLAG_ANY, if_set, if_not)):
        number = k.ZERO if monoid is Monoid.FLAG_ALL else k.ONE
        if fixed is number and other.op == "ite" and other.args[1:] in ((k.ONE, k.ZERO), (k.ZERO, k.ONE)):
            test = other.args[0] if other.args[1] is k.ONE else k.not_(other.args[0])
            return None if start in test.free else MonoidStep(monoid, test)
    return None


def first_maximum(value: Term, old: Term, v: Term) -> FirstMaximum | None:
    """Recognise `most < f(v) ? v : old`, where most is the maximum of f over first..v."""
    if value.op != "ite" or (v, old) not in (value.args[1:], value.args[:0:-1]):
        return None
    test = value.args[0] if value.args[1] is v else k.not_(value.args[0])
    for most in k.subterms_with(test, "fold_max"):
        initial, first, high, body = most.args
        if most.level == 0 and high is v and test is k.lt(most, instantiate(body, (v,))):
            return FirstMaximum(initial, first, body)
    return None


def latched(value: Term, old: Term, start: Term) -> tuple[Term, Term] | None:
    """Return (condition, new) if the value is `condition ? new : old`, and neither reads the contents `start`."""
    if value.op == "ite":
        c, a, b = value.args
        for test, new, kept in ((c, a, b), (k.not_(c), b, a)):
            if kept is old and start not in new.free and start not in test.free:
                return test, new
    return None


def difference(value: Term, old: Term) -> Term | None:
    """Compute value - old, if every case of value has the summand old once."""
    if value.op == "ite":
        c, a, b = value.args
        x, y = difference(a, old), difference(b, old)
        return None if x is None or y is None else k.ite(c, x, y)
    if value is old:
        return k.num(0, value.sort)
    coefficient = k.coefficients(value).get((old,), 0)
    return k.sub(value, old) if coefficient == 1 else None


def _maximum_summand(value: Term, old: Term, start: Term) -> Term | None:
    """If value is a maximum of old and of terms that do not read the contents `start`, return the maximum of these terms."""
    others = other_of_maximum(value, old)
    if others is not None and start not in others.free:
        return others
    rest = [p for p in maximum_parts(value) if p.index != (old,)]
    reads_start = any(start in t.free for t in terms_of(tuple(rest)))
    return _without(value, old) if not reads_start and _never_less(value, old) else None


def _without(value: Term, old: Term) -> Term:
    """Drop old from a maximum that has other terms."""
    match value.op:
        case "max" if old in value.args:
            return k.max_(*(a for a in value.args if a is not old))
        case "ite":
            c, a, b = value.args
            return k.ite(c, _without(a, old), _without(b, old))
        case _:
            return value


def _never_less(value: Term, old: Term) -> bool:
    """Is old a term of this maximum in every case?"""
    match value.op:
        case "max":
            return any(_never_less(a, old) for a in value.args)
        case "fold_max":
            return _never_less(value.args[0], old)
        case "ite":
            return all(_never_less(a, old) for a in value.args[1:])
        case _:
            return value is old


def other_of_maximum(value: Term, old: Term) -> Term | None:
    """Return the other arguments of max(old, …). `if (new > old) old = new;` is a maximum too."""
    if value.op == "max" and old in value.args:
        return k.max_(*(a for a in value.args if a is not old))
    choice = value if value.op == "ite" else _negated_choice(value)
    if choice is not None:
        c, a, b = choice.args
        for new, kept, condition in ((a, b, c), (b, a, k.not_(c))):
            if kept is old and condition in (k.lt(old, new), k.le(old, new)):
                return new
    return None


def _negated(value: Term) -> Term:
    """-value, in each case of a choice by itself."""
    if value.op != "ite":
        return k.neg(value)
    c, a, b = value.args
    return k.ite(c, _negated(a), _negated(b))


def _negated_choice(value: Term) -> Term | None:
    """Rewrite -(c ? a : b) as c ? -a : -b."""
    cs = k.coefficients(value)
    if len(cs) == 1 and (only := next(iter(cs.items())))[1] == -1 and len(only[0]) == 1 and only[0][0].op == "ite":
        c, a, b = only[0][0].args
        return k.ite(c, k.neg(a), k.neg(b))
    return None


def _quotient(value: Term, old: Term) -> Term | None:
    """Compute value / old, if each monomial of value has the factor old once, in every case."""
    if value.op == "ite":
        c, a, b = value.args
        x, y = _quotient(a, old), _quotient(b, old)
        return None if x is None or y is None else k.ite(c, x, y)
    monomials: k.Coefficients = {}
    for m, c in k.coefficients(value).items():
        if m.count(old) != 1:
            return None
        factors = list(m)
        factors.remove(old)
        monomials[tuple(factors)] = c
    return k.polynomial(monomials, value.sort) if monomials else None
