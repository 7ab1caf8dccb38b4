"""Powers of two with symbolic exponents: each law holds where exponents are not negative, and is not used elsewhere."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from optigpu.logic import terms as k
from optigpu.logic.facts import Facts
from optigpu.logic.terms import INT, ONE, ZERO, Term
from tests.support.terms import evaluate

x, y, z = (k.var(name, INT) for name in "xyz")
POWER, OTHER_POWER = k.pow2(x), k.pow2(y)
NEXT_POWER, LAST_POWER = k.pow2(k.add(x, ONE)), k.pow2(k.sub(x, ONE))
NATURAL = [k.le(ZERO, x), k.le(ZERO, y)]
# Values of a power whose exponent is negative: nothing is known of them.
ENVS = [
    {"x": a, "y": b, "z": c, "/0": -1, "2^-": unknown}
    for a, b, c, unknown in product(range(-3, 5), range(-3, 5), (-2, 0, 1, 3), (-1, 0, 9))
]


@pytest.mark.parametrize(
    "facts,false,true",
    [
        ([], k.eq(NEXT_POWER, k.scale(2, POWER)), None),
        ([k.le(k.num(-1), x)], k.eq(NEXT_POWER, k.scale(2, POWER)), None),
        ([k.le(ZERO, x)], k.eq(NEXT_POWER, POWER), k.eq(NEXT_POWER, k.scale(2, POWER))),
        ([k.le(ZERO, x)], k.eq(k.fdiv(POWER, k.num(2)), LAST_POWER), k.eq(k.fdiv(NEXT_POWER, k.num(2)), POWER)),
        ([k.le(ONE, x)], k.eq(k.fdiv(POWER, k.num(4)), LAST_POWER), k.eq(k.fdiv(POWER, k.num(2)), LAST_POWER)),
        ([k.le(ZERO, x)], k.eq(k.mul(POWER, OTHER_POWER), k.pow2(k.add(x, y))), None),
        (NATURAL, k.eq(k.mul(POWER, OTHER_POWER), k.pow2(k.add(x, y, ONE))), k.eq(k.mul(POWER, OTHER_POWER), k.pow2(k.add(x, y)))),
        (NATURAL, k.eq(k.mul(POWER, POWER), POWER), k.eq(k.mul(POWER, POWER, OTHER_POWER), k.pow2(k.add(x, x, y)))),
        ([k.le(x, y)], k.le(POWER, OTHER_POWER), None),
        ([k.le(ZERO, x), k.le(x, y)], k.lt(POWER, OTHER_POWER), k.le(POWER, OTHER_POWER)),
        ([k.le(ZERO, x), k.lt(x, y)], k.lt(k.scale(2, POWER), OTHER_POWER), k.le(k.scale(2, POWER), OTHER_POWER)),
        ([k.le(ZERO, x), k.le(k.add(x, k.num(2)), y)], k.le(k.scale(5, POWER), OTHER_POWER), k.le(k.scale(4, POWER), OTHER_POWER)),
        ([k.le(ZERO, x), k.le(k.num(2), y), k.le(x, y)], k.lt(POWER, OTHER_POWER), k.le(POWER, OTHER_POWER)),
        ([*NATURAL, k.le(x, k.add(y, ONE))], k.le(POWER, OTHER_POWER), k.le(POWER, k.scale(2, OTHER_POWER))),
        ([k.le(x, k.num(3))], k.le(POWER, k.num(8)), None),
        ([k.le(ZERO, x), k.le(x, k.num(3))], k.le(POWER, k.num(7)), k.le(POWER, k.num(8))),
        (NATURAL, k.eq(k.fdiv(OTHER_POWER, POWER), k.pow2(k.sub(y, x))), None),
        ([k.le(x, y)], k.eq(k.fdiv(OTHER_POWER, POWER), k.pow2(k.sub(y, x))), None),
        (
            [k.le(ZERO, x), k.le(x, y)],
            k.eq(k.fdiv(OTHER_POWER, NEXT_POWER), k.pow2(k.sub(k.sub(y, x), ONE))),
            k.eq(k.fdiv(OTHER_POWER, POWER), k.pow2(k.sub(y, x))),
        ),
        (
            [k.le(ONE, x), k.le(x, y)],
            k.eq(k.fdiv(k.mul(z, OTHER_POWER), POWER), z),
            k.eq(k.fdiv(k.mul(z, OTHER_POWER), POWER), k.mul(z, k.pow2(k.sub(y, x)))),
        ),
        (
            [k.le(k.num(2), y), k.le(ZERO, x), k.le(x, y)],
            k.eq(k.fdiv(OTHER_POWER, POWER), k.pow2(k.sub(k.sub(y, x), ONE))),
            k.eq(k.fdiv(OTHER_POWER, POWER), k.pow2(k.sub(y, x))),
        ),
        ([k.le(ZERO, x), k.le(x, y)], k.eq(k.fdiv(k.scale(-6, OTHER_POWER), POWER), k.scale(-3, k.pow2(k.sub(y, x)))), None),
        ([k.le(ZERO, x), k.lt(z, POWER), k.le(ZERO, z)], k.lt(k.add(z, POWER), POWER), k.lt(k.add(z, POWER), NEXT_POWER)),
    ],
)  # fmt: skip
def test_laws_of_powers_and_what_nearly_follows(facts: list[Term], false: Term, true: Term | None) -> None:
    """The first goal does not follow, as some numbers show; the second does."""
    models = [e for e in ENVS if all(evaluate(f, e) for f in facts)]
    known = Facts().assume(*facts)
    assert any(not evaluate(false, e) for e in models) and not known.proves(false)
    assert true is None or (all(evaluate(true, e) for e in models) and known.proves(true))


def random_power(r: Random) -> Term:
    exponent = k.add(r.choice([x, y, k.sub(x, y), k.add(x, y), k.scale(2, x)]), k.num(r.randint(-2, 2)))
    return k.pow2(exponent)


def random_number(r: Random, depth: int = 3) -> Term:
    if depth == 0 or r.random() < 0.2:
        return r.choice([random_power(r), random_power(r), x, z, k.num(r.randint(-2, 9))])
    a, b = random_number(r, depth - 1), random_number(r, depth - 1)
    return r.choice(
        [
            k.add(a, b),
            k.sub(a, b),
            k.mul(a, b),
            k.fdiv(a, random_power(r)),
            k.fdiv(a, k.num(2)),
            k.mul(a, random_power(r)),
        ]
    )


def test_random_terms_with_powers_keep_their_value_where_the_facts_hold() -> None:
    """Simplified by facts, a term has the same value wherever these hold; what is proved is true there."""
    for seed in range(400):
        r = Random(seed)
        bounds = [k.le(k.num(r.randint(-2, 2)), v) for v in (x, y, z)]
        orders = [
            k.le(k.add(x, k.num(r.randint(-1, 2))), y),
            k.le(x, k.num(r.randint(0, 3))),
            k.lt(z, POWER),
            k.le(OTHER_POWER, z),
        ]
        facts = r.sample(bounds, r.randint(0, 3)) + r.sample(orders, r.randint(0, 3))
        known = Facts().assume(*facts)
        models = [e for e in r.sample(ENVS, 60) if all(evaluate(f, e) for f in facts)]
        t = random_number(r)
        simple = known.simplify(t)
        goals = [
            k.le(random_power(r), random_number(r, 1)),
            k.le(ZERO, t),
            k.eq(random_number(r, 1), random_number(r, 1)),
        ]
        proved = [g for g in goals if known.proves(g)]
        for e in models:
            assert evaluate(simple, e) == evaluate(t, e), (seed, facts, t, simple, e)
            assert all(evaluate(g, e) for g in proved), (seed, facts, proved, e)


def test_exponents_beyond_the_width_of_machine_numbers_are_mathematical() -> None:
    facts = Facts().assume(k.le(k.num(70), x))
    assert facts.proves(k.le(k.num(1 << 64), POWER)) and not facts.proves(k.le(k.num(1 << 71), POWER))
    assert facts.simplify(k.pow2(k.num(70))) is k.num(1 << 70)
    assert facts.simplify(k.pow2(k.num(-1))) is k.pow2(k.num(-1))
