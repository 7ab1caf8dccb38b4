"""Random facts of the shapes that occur in programs."""

from __future__ import annotations

from random import Random

from optigpu.elaborate.arithmetic_terms import pure_operation
from optigpu.logic import terms as k
from optigpu.logic.facts import Facts
from optigpu.logic.terms import INT, ZERO
from optigpu.search.advice import SearchGuide
from tests.support.terms import INTS, TermMaker

NAMES = [k.var(n, INT) for n in INTS]


def random_facts(r: Random) -> Facts:
    """Facts of the shapes that occur in programs: ranges, sizes, divisibility, equations, and some of any kind."""
    maker = TermMaker(r)
    facts = Facts(SearchGuide())
    for _ in range(r.randint(1, 4)):
        a, b = r.sample(NAMES, 2)
        shape = r.randrange(9)
        fact = [
            k.le(ZERO, a),
            k.lt(a, b),
            k.le(a, k.num(r.randint(-2, 6))),
            k.eq(pure_operation("%", a, k.num(r.choice([2, 3, 4]))), ZERO),
            k.eq(a, k.add(k.scale(r.choice([1, 2, -1, 4]), b), k.num(r.randint(-2, 2)))),
            k.lt(k.add(k.mul(a, b), k.num(r.randint(-3, 3))), r.choice(NAMES)),
            k.not_(k.eq(a, k.num(r.randint(0, 2)))),
            maker.boolean(2)[0],
            k.eq(k.fmod(a, k.num(d := r.choice([2, 3, 4]))), k.num(r.randint(0, d))),
        ][shape]
        facts = facts.assume(fact)
    return facts
