"""At which terms universal facts are used: where a part of the fact, with its variables replaced, is a term that occurs.

`forall i k -> A(i, k) == A(k, i)` is used at the arguments of each A(x, y) that occurs, a fact about `Sum(j in 0..m, P(i, j))` at
each i of which that sum occurs. A fact of which no part occurs in the goal is used at the integers that the goal is about: from
`0 <= T(b) && T(b) < C` it follows that C is positive, for a b that the goal mentions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import permutations, product

from optigpu.logic import terms as k
from optigpu.logic.quantifiers import instance
from optigpu.logic.terms import INT, TRUE, Sort, Term

MAX_INSTANCES = 120
INSTANTIATION_ROUNDS = 2  # instances bring in new terms
MAX_FACTORS = 4  # of a product, or summands of a sum, that are matched in any order
MAX_INDICES = 6  # integers of the goal at which a fact is used that none of its terms matches
MAX_BLIND_VARIABLES = 2  # of such a fact
MATCHED = ("app", "sum", "prod", "fold_max")  # operators of the terms that are compared

Binding = dict[int, Term]  # index of a variable of the fact, 0 for the last one -> its value
Instances = list[tuple[Term, tuple[Term, ...]]]


def instances(universals: Sequence[Term], ground: Sequence[Term]) -> Instances:
    """Use universal facts at terms of the ground facts, for a few rounds. The last of the ground facts is the goal."""
    found: dict[Term, tuple[Term, tuple[Term, ...]]] = {}
    for _ in range(INSTANTIATION_ROUNDS):
        terms = [t for g in (*ground, *found) for t in _matched_terms(g)]
        before = len(found)
        for u in universals:
            for values in _matches(u, terms):
                if len(found) >= MAX_INSTANCES:
                    return list(found.values())
                found.setdefault(instance(u, values), (u, values))
        if len(found) == before:
            break
    for u in universals if ground else ():
        for values in _blind(u, ground[-1]):
            if len(found) < MAX_INSTANCES:
                found.setdefault(instance(u, values), (u, values))
    return [advice for fact, advice in found.items() if fact is not TRUE]


def _matched_terms(t: Term) -> list[Term]:
    return [x for x in k.subterms_with(t, *MATCHED) if x.level == 0]


def _sorts(u: Term) -> tuple[Sort, ...]:
    sorts: tuple[Sort, ...] = u.data if u.op == "forall" else (INT,)
    return sorts


def _blind(u: Term, goal: Term) -> Iterator[tuple[Term, ...]]:
    """Yield integers of the goal, if no term of the goal is one that the fact is about."""
    sorts = _sorts(u)
    if len(sorts) > MAX_BLIND_VARIABLES or any(s is not INT for s in sorts):
        return
    if next(_matches(u, _matched_terms(goal)), None) is not None:
        return
    indices = [x for x in k.subterms_with(goal, "var") if x.sort is INT]
    yield from product(indices[:MAX_INDICES], repeat=len(sorts))


def _matches(u: Term, terms: Sequence[Term]) -> Iterator[tuple[Term, ...]]:
    """Yield values of the variables at which a part of the fact equals one of the terms."""
    n = len(_sorts(u))
    patterns = [t for t in k.subterms_with(u.args[-1], *MATCHED) if 0 < t.level <= n]

    def search(known: Binding, left: list[Term]) -> Iterator[Binding]:
        if len(known) == n:
            yield known
            return
        for at, pattern in enumerate(left):
            for t in terms:
                for more in _match(pattern, t, known):
                    if len(more) > len(known):
                        yield from search(more, left[at + 1 :])

    for binding in search({}, patterns):
        yield tuple(binding[n - 1 - i] for i in range(n))


def _match(p: Term, t: Term, known: Binding, depth: int = 0) -> Iterator[Binding]:
    """Match a pattern under `depth` binders of its own against a term that is closed outside of as many binders."""
    if p.level <= depth:
        if p is t:
            yield known
    elif p.sort is not t.sort:
        return
    elif p.op == "bound":
        yield from _bind(p.data - depth, t, known)
    elif p.op == "poly":
        yield from _match_polynomial(p, t, known, depth)
    elif p.op == t.op and p.data == t.data and len(p.args) == len(t.args):
        *outer, last = zip(p.args, t.args)
        for more in _match_all(outer, known, depth):
            yield from _match(*last, more, depth + p.binds)


def _bind(index: int, value: Term, known: Binding) -> Iterator[Binding]:
    if value.level == 0 and known.get(index, value) is value:
        yield {**known, index: value}


def _match_all(pairs: Sequence[tuple[Term, Term]], known: Binding, depth: int) -> Iterator[Binding]:
    if not pairs:
        yield known
        return
    for more in _match(*pairs[0], known, depth):
        yield from _match_all(pairs[1:], more, depth)


def _match_polynomial(p: Term, t: Term, known: Binding, depth: int) -> Iterator[Binding]:
    """Solve a pattern `c * x + d` for x, or match summands and factors in any order."""
    for m, c in p.data:
        if len(m) == 1 and m[0].op == "bound" and m[0].data >= depth:
            rest = k.sub(p, k.scale(c, m[0]))
            if rest.level == 0:
                multiple = k.sub(t, rest)
                if p.sort is INT and any(d % c for d in k.coefficients(multiple).values()):
                    return
                yield from _bind(m[0].data - depth, _quotient(multiple, c), known)
                return
    if t.op != "poly" or len(p.data) != len(t.data) or len(p.data) > MAX_FACTORS:
        return
    for order in permutations(t.data):
        if all(c == d and len(m) == len(n) <= MAX_FACTORS for (m, c), (n, d) in zip(p.data, order)):
            yield from _match_products([m for m, _ in p.data], [m for m, _ in order], known, depth)


def _quotient(t: Term, c: int | Fraction) -> Term:
    """t / c; for integers c divides all coefficients of t."""
    divided = {m: d // c if t.sort is INT else Fraction(d) / c for m, d in k.coefficients(t).items()}
    return k.polynomial(divided, t.sort)


def _match_products(
    ps: Sequence[tuple[Term, ...]], ts: Sequence[tuple[Term, ...]], known: Binding, depth: int
) -> Iterator[Binding]:
    if not ps:
        yield known
        return
    for order in permutations(ts[0]):
        for more in _match_all(list(zip(ps[0], order)), known, depth):
            yield from _match_products(ps[1:], ts[1:], more, depth)
