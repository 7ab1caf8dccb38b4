"""Universal facts: quantifiers that a fact has inside are moved to its front, and instances are made.

    all i, (all k in low(i)..high(i), P(i, k)) or Q(i)   is   forall i k, k in low(i)..high(i) -> P(i, k) or Q(i)

Both sides hold for the same values: ranges are conditions, and Q does not mention k. A quantifier stays where it is if it is
negated, or if two operands of a disjunction have quantifiers.
"""

from __future__ import annotations

from collections.abc import Iterator

from optigpu.logic import terms as k
from optigpu.logic.terms import BOOL, INT, TRUE, Sort, Term, bound, instantiate, remembered, shift
from optigpu.logic.terms.core import interned

UNIVERSAL = ("all", "forall")


def _quantified(t: Term) -> bool:
    return not t.ops.isdisjoint(UNIVERSAL)


@remembered(5_000)
def universals(fact: Term) -> tuple[Term, ...]:
    """The universal facts that a fact says, each with all its quantifiers in front; none for a fact without quantifiers."""
    if not _quantified(fact):
        return ()
    if fact.op in UNIVERSAL and not _quantified(fact.args[-1]):
        return (fact,)
    return tuple(interned("forall", (p,), BOOL, sorts) for sorts, p in _prenex(fact) if sorts and p is not TRUE)


def _prenex(t: Term) -> Iterator[tuple[tuple[Sort, ...], Term]]:
    """The proposition t as a conjunction: of each conjunct the variables in front, outermost first, and what it says of them.

    In the latter, the variables are the lowest indices (0 is the last one), and the loose indices of t follow.
    """
    match t.op:
        case "all":
            low, high, body = t.args
            for sorts, p in _prenex(body):
                n = len(sorts)
                i = bound(n, INT)  # the variable of t, with n variables bound after it
                inside = k.and_(k.le(shift(low, n + 1), i), k.lt(i, shift(high, n + 1)))
                yield (INT, *sorts), k.implies(inside, p)
        case "forall":
            for sorts, p in _prenex(t.args[0]):
                yield (*t.data, *sorts), p
        case "and":
            for a in t.args:
                yield from _prenex(a)
        case "or" if len(quantified := [a for a in t.args if _quantified(a)]) == 1:
            for sorts, p in _prenex(quantified[0]):
                others = [shift(a, len(sorts)) for a in t.args if a is not quantified[0]]
                yield sorts, k.or_(p, *others)
        case _:
            yield (), t


def instance(u: Term, args: tuple[Term, ...]) -> Term:
    """The instance of a universal fact at these closed terms."""
    if type(args) is not tuple or any(type(a) is not Term for a in args):
        raise TypeError("a fact about all things is used at something that is no term")
    if tuple(a.sort for a in args) != (u.data if u.op == "forall" else (INT,)) or any(a.level for a in args):
        raise TypeError("a fact about all things of one sort is used at something else")
    if u.op == "all":
        low, high, body = u.args
        return k.implies(k.and_(k.le(low, args[0]), k.lt(args[0], high)), instantiate(body, args))
    return instantiate(u.args[0], args)
