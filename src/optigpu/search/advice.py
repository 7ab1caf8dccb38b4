"""Advice for the normaliser and the judge: which goals need not be tried, and at which terms universal facts are instantiated.

Nothing rests on it: the kernel makes the instances itself, and a goal that is not tried is not proved.
"""

from __future__ import annotations

from collections.abc import Iterator

from optigpu.logic import terms as k
from optigpu.logic.facts import CHOICES, Facts, Guide
from optigpu.logic.quantifiers import UNIVERSAL
from optigpu.logic.signs import Square
from optigpu.logic.terms import INT, Term
from optigpu.search.instantiation import instances
from optigpu.search.refutation import refuted_uninterpreted
from optigpu.search.samples import advice, moved_to, negative_for_one, samples
from optigpu.search.squares import squares_in
from optigpu.search.watch import Watch

MAX_SUMMAND_BOUNDS = 8  # tried for the summands of a sum
LEAST_TYPE_BOUND = (1 << 15) - 1  # no machine type has a smaller greatest number
NUMBERS = (
    "var",
    "app",
    "sum",
    "prod",
    "fold_max",
    "argmax",
)  # operators of numbers of which nothing but facts is known


class SearchGuide(Guide):
    """Advice from samples and models, and by matching terms. Long proofs ask for it all the time, so the watch looks here too."""

    def __init__(self, watch: Watch | None = None) -> None:
        self.watch = watch or Watch()

    def refutes(self, facts: Facts, p: Term) -> bool:
        """Look at samples; near them, if the question comes again: then it could not be answered without a longer search."""
        self.watch.tick()
        if p.sort is not INT:
            return refuted_uninterpreted(facts, p)
        asked = advice(facts).asked
        if p not in asked:
            if negative_for_one(p, samples(facts)):
                return True
            asked[p] = None
            return False
        if (near := asked[p]) is None:
            near = asked[p] = any(moved_to(facts, p, least=True))
        return near

    def concerns(self, facts: Facts, c: Term, t: Term) -> bool:
        """Are c and t about the same numbers, or about some that facts without choices connect?"""
        wanted, reached = numbers_in(t), set(numbers_in(c))
        answers = advice(facts).answers
        if "connecting" not in answers:
            answers["connecting"] = _connecting(facts)
        left = list(reached)
        while left and reached.isdisjoint(wanted):
            for i in answers["connecting"].get(left.pop(), ()):
                new = numbers_in(i) - reached
                reached |= new
                left += new
        return not reached.isdisjoint(wanted)

    def bounds(self, facts: Facts, summand: Term, above: bool) -> list[int]:
        """Candidates: numbers among the cases of the summand, and numbers that facts compare with the functions in it."""
        functions = {t.args[0] for t in k.subterms_with(summand, "app")}
        compared = [i for i in facts.items if i.op in ("le", "all") and not functions.isdisjoint(k.subterms(i))]
        sides = [t.args[0] for i in compared for t in k.subterms_with(i, "le")]
        numbers = {-int(k.coefficients(p).get((), 0)) for p in sides if p.sort is INT}
        numbers |= {-n for n in numbers} | set(_leaves(summand))
        return sorted(numbers, reverse=not above)[:MAX_SUMMAND_BOUNDS]

    def products(self, facts: Facts, goal: Term) -> list[tuple[Term, Term]]:
        """To show that a product fits a machine type, multiply the distances of its factors from the ends of their ranges."""
        if goal.op != "le" or goal.args[0].sort is not INT:
            return []
        terms = k.coefficients(goal.args[0])
        if abs(terms.get((), 0)) < LEAST_TYPE_BOUND:
            return []
        distances: list[tuple[Term, Term]] = []
        for (a, b), c in ((m, c) for m, c in terms.items() if len(m) == 2):
            (low_a, high_a), (low_b, high_b) = _distances(facts, a), _distances(facts, b)
            pairs = ((high_a, low_b), (low_a, high_b)) if c > 0 else ((low_a, low_b), (high_a, high_b))
            distances += [(p, q) for p, q in pairs if p is not None and q is not None]
        return distances

    def squares(self, facts: Facts, p: Term) -> list[tuple[Square, ...]]:
        """Complete the squares of the quadratic forms in p."""
        return squares_in(facts, p)

    def instances(self, universals: list[Term], ground: list[Term]) -> list[tuple[Term, tuple[Term, ...]]]:
        """Instantiate universal facts at terms that occur; the last ground fact is the goal."""
        return instances(universals, ground)


@k.remembered(50_000)
def numbers_in(t: Term) -> frozenset[Term]:
    """Return the numbers that a closed term is about: variables, applications of functions, sums and other big operators."""
    return frozenset(x for x in k.subterms(t) if x.level == 0 and x.op in NUMBERS and not x.sort.args)


def _connecting(facts: Facts) -> dict[Term, list[Term]]:
    """Return the facts without choices, by the numbers that they are about."""
    out: dict[Term, list[Term]] = {}
    for i in facts.items:
        for x in numbers_in(i) if i.op not in UNIVERSAL and CHOICES.isdisjoint(i.ops) else ():
            out.setdefault(x, []).append(i)
    return out


def _distances(facts: Facts, a: Term) -> tuple[Term | None, Term | None]:
    """Return how far an integer is above its least value, and below its greatest, if facts bound it by numbers."""
    least: list[int] = []
    most: list[int] = []
    for terms in (k.coefficients(i.args[0]) for i in facts.items if i.op == "le" and i.args[0].sort is INT):
        c, d = int(terms.get((a,), 0)), int(terms.get((), 0))
        if terms.keys() <= {(a,), ()} and c > 0:  # c * a + d <= 0
            most.append(-d // c)
        elif terms.keys() <= {(a,), ()} and c < 0:
            least.append(-(d // c))
    return k.sub(a, k.num(max(least))) if least else None, k.sub(k.num(min(most)), a) if most else None


def _leaves(t: Term) -> Iterator[int]:
    """Yield the numbers among the cases of a choice; of a sum over a known number of indices, so many times those."""
    if t.op == "ite":
        yield from _leaves(t.args[1])
        yield from _leaves(t.args[2])
    elif t.op == "sum" and k.is_num(t.args[0]) and k.is_num(t.args[1]):
        count = max(0, int(t.args[1].data) - int(t.args[0].data))
        yield from (count * n for n in _leaves(t.args[2]))
    elif k.is_num(t):
        yield int(t.data)
