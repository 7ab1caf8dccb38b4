"""Maxima under conditions: what takes part in the maximum where a condition does not hold.

`if (c(i)) m = fmaxf(m, f(i));` leaves `fold_max(m0; i, c(i) ? f(i) : m0)`: where c does not hold, the entry value m0 counts once
more. In nested loops m0 is a maximum itself, and would be repeated in each of them. One term of m0 is as good as all of them, since
m0 takes part anyway: for m0 = fold_max(0; …) it is 0.
"""

from __future__ import annotations

from optigpu.logic import terms as k
from optigpu.logic.terms import Term


def with_default_terms(t: Term) -> Term:
    """Replace the initial value of a fold by one of its terms, where the body has it as a term."""
    if "fold_max" not in t.ops:
        return t
    new = k.rebuild(t, lambda x, _: with_default_terms(x))
    if new.op != "fold_max" or new.args[0].level > 0:
        return new
    initial, low, high, body = new.args
    term = _term_of(initial)
    if term is None or term is initial:
        return new
    return k.big("fold_max", low, high, _replaced(body, initial, term), initial)


def _term_of(t: Term) -> Term | None:
    """Return a term that a maximum has in every case: a number if there is one."""
    match t.op:
        case "fold_max":
            return _term_of(t.args[0])
        case "max":
            terms = [x for x in map(_term_of, t.args) if x is not None]
            return next((x for x in terms if k.is_num(x)), terms[0] if terms else None)
        case "ite":
            then, other = _term_of(t.args[1]), _term_of(t.args[2])
            return then if then is other else None
        case _:
            return t


def _replaced(t: Term, initial: Term, term: Term) -> Term:
    """Replace the closed term `initial` in this maximum, not inside of its terms."""
    if t is initial:
        return term
    match t.op:
        case "max":
            return k.max_(*(_replaced(a, initial, term) for a in t.args))
        case "fold_max":
            first, low, high, body = t.args
            return k.big("fold_max", low, high, _replaced(body, initial, term), _replaced(first, initial, term))
        case "ite":
            c, a, b = t.args
            return k.ite(c, _replaced(a, initial, term), _replaced(b, initial, term))
        case _:
            return t
