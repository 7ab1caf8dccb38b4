"""Accumulators over a monoid: `new value = old value (op) summand`, and the value after many such iterations."""

from __future__ import annotations

from optigpu.kernel.side_conditions import terms_of
from optigpu.logic import terms as k
from optigpu.logic.equality import parts
from optigpu.logic.terms import INT, TRUE, Term

NUMERIC = ("sum", "prod", "fold_max", "fold_min")


def combine(op: str, start: Term, low: Term, high: Term, body: Term, to: Term | None = None) -> Term:
    """start (op) the big operator of the body over low..high."""
    never = k.big("all", low, high, k.not_(body)) if body.sort is k.BOOL else TRUE
    match op:
        case "all":
            return k.and_(start, k.big("all", low, high, body))
        case "any":
            return k.or_(start, k.not_(never))
        case "flag_all" | "flag_any":  # of C's numbers 0 and 1: the first iteration makes any other number one of them
            flag = k.not_(k.eq(start, k.ZERO))
            holds = k.and_(flag, k.big("all", low, high, body)) if op == "flag_all" else k.or_(flag, k.not_(never))
            return k.ite(k.lt(low, high), k.ite(holds, k.ONE, k.ZERO), start)
        case "latch":
            assert to is not None
            return k.ite(never, start, to)
        case "sum":
            return k.add(start, k.big("sum", low, high, body))
        case "prod":
            return k.mul(start, k.big("prod", low, high, body))
        case "fold_min":  # -max(-start, …), with a body that is negated already
            return k.neg(k.big("fold_max", low, high, body, k.neg(start)))
        case _:
            return k.big(op, low, high, body, start)


def accumulation(value: Term, old: Term, start: Term) -> tuple[str, Term] | None:
    """`value` as `old (op) summand`, where the summand does not read these contents.

    Of a maximum it may mention `old`, which then stands for what the cell held at first: that is never more than what it holds.
    """
    if value.sort is k.BOOL:
        return conjunction(value, old, start)
    summand = difference(value, old)
    if summand is not None and start not in summand.free:
        return "sum", summand
    most = growth(value, old, start)
    if most is not None:
        return "fold_max", most
    least = growth(k.neg(value), k.neg(old), start)
    if least is not None:
        return "fold_min", least
    factor = quotient(value, old)
    if factor is not None and start not in factor.free:
        return "prod", factor
    return flag(value, old, start) if value.sort is INT else None


def conjunction(value: Term, old: Term, start: Term) -> tuple[str, Term] | None:
    """ok && p, or ok || p: what a truth value becomes if it is true, and if it is false."""
    if_true, if_false = (k.replace_subterms(value, {old: t}) for t in (TRUE, k.FALSE))
    if if_false is k.FALSE and start not in if_true.free:
        return "all", if_true
    if if_true is TRUE and start not in if_false.free:
        return "any", if_false
    return None


def flag(value: Term, old: Term, start: Term) -> tuple[str, Term] | None:
    """The same of a number that stands for a truth value: `ok = ok && p` is (ok != 0 && p) ? 1 : 0."""
    zero = k.eq(old, k.ZERO)
    if_set, if_not = (k.replace_subterms(value, {zero: t}) for t in (k.FALSE, TRUE))
    for op, fixed, other in (("flag_all", if_not, if_set), ("flag_any", if_set, if_not)):
        number = k.ZERO if op == "flag_all" else k.ONE
        if fixed is number and other.op == "ite" and other.args[1:] in ((k.ONE, k.ZERO), (k.ZERO, k.ONE)):
            test = other.args[0] if other.args[1] is k.ONE else k.not_(other.args[0])
            return None if start in test.free else (op, test)
    return None


def latched(value: Term, old: Term, start: Term) -> tuple[Term, Term] | None:
    """(c, t) if the value is c ? t : old, and neither reads these contents."""
    if value.op == "ite":
        c, a, b = value.args
        for test, new, kept in ((c, a, b), (k.not_(c), b, a)):
            if kept is old and start not in new.free and start not in test.free:
                return test, new
    return None


def difference(value: Term, old: Term) -> Term | None:
    """value - old, where choices inside value are between terms with that summand."""
    if value.op == "ite":
        c, a, b = value.args
        x, y = difference(a, old), difference(b, old)
        return None if x is None or y is None else k.ite(c, x, y)
    if value is old:
        return k.num(0, value.sort)
    coefficient = k.coefficients(value).get((old,), 0)
    return k.sub(value, old) if coefficient == 1 else None


def growth(value: Term, old: Term, start: Term) -> Term | None:
    """A summand of the maximum that value is: of old, and of terms that do not read these contents."""
    most = greater(value, old)
    if most is not None and start not in most.free:
        return most
    others = [p for p in parts(value) if p.index != (old,)]
    read = any(start in t.free for t in terms_of(tuple(others)))
    return _without(value, old) if not read and _never_less(value, old) else None


def _without(value: Term, old: Term) -> Term:
    """The maximum without a term that it is compared with anyway, where there are others."""
    match value.op:
        case "max" if old in value.args:
            return k.max_(*(a for a in value.args if a is not old))
        case "ite":
            c, a, b = value.args
            return k.ite(c, _without(a, old), _without(b, old))
        case _:
            return value


def _never_less(value: Term, old: Term) -> bool:
    """Is old one of the terms of this maximum, in every case?"""
    match value.op:
        case "max":
            return any(_never_less(a, old) for a in value.args)
        case "fold_max":
            return _never_less(value.args[0], old)
        case "ite":
            return all(_never_less(a, old) for a in value.args[1:])
        case _:
            return value is old


def greater(value: Term, old: Term) -> Term | None:
    """The other arguments of max(old, …); `if (new > old) old = new;` is a maximum too."""
    if value.op == "max" and old in value.args:
        return k.max_(*(a for a in value.args if a is not old))
    choice = value if value.op == "ite" else _negated_choice(value)
    if choice is not None:
        c, a, b = choice.args
        for new, kept, condition in ((a, b, c), (b, a, k.not_(c))):
            if kept is old and condition in (k.lt(old, new), k.le(old, new)):
                return new
    return None


def _negated_choice(value: Term) -> Term | None:
    """-(c ? a : b) as c ? -a : -b."""
    cs = k.coefficients(value)
    if len(cs) == 1 and (only := next(iter(cs.items())))[1] == -1 and len(only[0]) == 1 and only[0][0].op == "ite":
        c, a, b = only[0][0].args
        return k.ite(c, k.neg(a), k.neg(b))
    return None


def quotient(value: Term, old: Term) -> Term | None:
    out: dict[tuple[Term, ...], object] = {}
    for m, c in k.coefficients(value).items():
        if m.count(old) != 1:
            return None
        left = list(m)
        left.remove(old)
        out[tuple(left)] = c
    return k.polynomial(out, value.sort) if out else None
