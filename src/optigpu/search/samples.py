"""Samples: numbers for the variables of facts, for which the facts hold. A goal that is false for one of them does not follow.

Nothing rests on this: whatever the numbers are, the only answer they give is "not proved".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from functools import lru_cache
from random import Random
from typing import Any, TypeAlias

from optigpu.light_dataclass import dataclass
from optigpu.logic.facts import Facts
from optigpu.logic.terms import INT, Term
from optigpu.search.arbitrary_model import Model
from optigpu.search.evaluation import Sample, Undefined, evaluate, line

MAX_SAMPLES = 6  # of one set of facts
TOO_FEW_SAMPLES = 3  # to tell much
MAX_MOVED_VARIABLES = 6  # to find a sample for one goal
MAX_REPAIRS = 12  # variables chosen anew in one attempt at a sample
# How far from its lower bound a variable is chosen: sizes are small, larger than all tiles, or between.
SPREADS = (70, 70**4, 1300)
# For sums inside sums, which have too many summands otherwise: spreads, and how many samples are tried of each. The second has
# sizes of a few tiles.
SMALL_SPREADS = ((3, 200), (24, 6))
VariableBounds: TypeAlias = dict[Term, list[Term]]  # the inequalities and equations that each variable occurs in


@dataclass
class Advice:
    """What is remembered of facts, once it was asked for: samples, the models made of them (uninterpreted or not), of integers that
    were not negative for a sample whether they are near one, and what the search has found out under these facts, by question."""

    samples: list[Sample] | None = None
    models: dict[bool, list[Model]] = field(default_factory=dict)
    asked: dict[Term, bool | None] = field(default_factory=dict)
    answers: dict[object, Any] = field(default_factory=dict)


def advice(facts: Facts) -> Advice:
    """Return what is remembered of facts."""
    if facts.advice is None:
        facts.advice = Advice()
    remembered: Advice = facts.advice
    return remembered


def samples(facts: Facts) -> list[Sample]:
    """Return numbers for the variables for which the facts hold. They are derived from those of the facts that these extend."""
    remembered = advice(facts)
    if remembered.samples is None:
        origin = facts.origin
        known, satisfied = (samples(origin), origin.known) if origin is not None else ([], frozenset[Term]())
        remembered.samples = extended(known, satisfied, facts.items, len(facts.assumptions))
    return remembered.samples


def small_samples(facts: Facts) -> list[list[Sample]]:
    """Return other numbers for which the facts hold, small ones where there are such: a list for each of the spreads."""
    rng = Random(len(facts.assumptions))
    used, bounds = _integers(facts.items), _bounds_of_variables(facts.items)
    found = []
    for spread, count in SMALL_SPREADS:
        chosen = [_completed({}, used, bounds, rng, spread) for _ in range(count)]
        found.append([env for env in chosen if _repaired(facts.items, env, bounds, rng, spread)])
    return found


def negative_for_one(p: Term, samples: Sequence[Sample]) -> bool:
    """Is the integer p negative for one of the samples?"""
    for env in samples:
        try:
            if evaluate(p, env) < 0:
                return True
        except Undefined:
            return False
    return False


def extended(samples: list[Sample], satisfied: frozenset[Term], items: Sequence[Term], seed: int) -> list[Sample]:
    """Extend samples to more facts: choose values for new variables, keep those for which all items hold, add some if few remain.

    `satisfied`: items that are known to hold for the samples.
    """
    new = [i for i in items if i not in satisfied]
    if samples and not new:
        return samples
    rng = Random(seed)
    used, bounds = _integers(items), _bounds_of_variables(items)
    more = samples if any(x not in s for s in samples for x in used) else ()
    chosen = [_completed(s, used, bounds, rng, _spread(n)) for n, s in enumerate((*samples, *more))]
    kept = [env for env in chosen if _all_hold(new, env)]
    if not kept:
        chosen = chosen[: MAX_SAMPLES // 2]
        chosen += [_completed({}, used, bounds, rng, _spread(n)) for n in range(MAX_SAMPLES - len(chosen))]
        kept = [env for n, env in enumerate(chosen) if _repaired(items, env, bounds, rng, _spread(n))]
    if len(kept) > TOO_FEW_SAMPLES or not used:
        return kept[:MAX_SAMPLES]
    return _varied(kept, used, items, bounds, rng)


def _spread(attempt: int) -> int:
    return SPREADS[attempt % len(SPREADS)]


def _varied(
    kept: list[Sample], used: list[Term], items: Sequence[Term], bounds: VariableBounds, rng: Random
) -> list[Sample]:
    """Add samples that differ from some variable on, so that a false goal is refuted more often."""
    varied = list(kept)
    for n in range(MAX_SAMPLES - len(kept) if kept else 0):
        dropped = set(used[rng.randrange(len(used)) :])
        start = {x: value for x, value in kept[n % len(kept)].items() if x not in dropped}
        env = _completed(start, used, bounds, rng, _spread(n))
        if env not in varied and _all_hold(items, env):
            varied.append(env)
    return varied


def _integers(items: Iterable[Term]) -> list[Term]:
    return sorted({x for i in items for x in i.free if x.sort is INT}, key=_age)


def _bounds_of_variables(items: Iterable[Term]) -> VariableBounds:
    bounds: VariableBounds = {}
    for i in items:
        if i.op in ("le", "eq") and i.args[0].sort is INT:
            for x in i.free:
                bounds.setdefault(x, []).append(i)
    return bounds


def _completed(start: Sample, used: Iterable[Term], bounds: VariableBounds, rng: Random, spread: int) -> Sample:
    env = dict(start)
    for x in used:
        if x not in env:
            env[x] = _choose(x, env, bounds.get(x, ()), rng, spread)
    return env


def _repaired(items: Sequence[Term], env: Sample, bounds: VariableBounds, rng: Random, spread: int) -> bool:
    """Choose variables of violated items anew, a few times, until all items hold."""
    violated = {i for i in items if not _holds(i, env)}
    for _ in range(MAX_REPAIRS if violated else 0):
        wanted = _part(next(i for i in items if i in violated), env, rng)
        x = rng.choice(_integers([wanted]) or [wanted])
        if x is wanted:
            return False
        wanted_bounds = _bounds_of_variables([wanted]).get(x, [])
        env[x] = _choose(x, env, [*wanted_bounds, *bounds.get(x, ())], rng, spread)
        concerned = [i for i in items if x in i.free]
        violated = violated.difference(concerned).union(i for i in concerned if not _holds(i, env))
        if not violated:
            break
    return not violated


def _part(item: Term, env: Sample, rng: Random) -> Term:
    """Choose a violated conjunct or disjunct of an item, recursively."""
    while item.op in ("and", "or"):
        item = rng.choice([a for a in item.args if not _holds(a, env)])
    return item


def _all_hold(items: Sequence[Term], env: Sample) -> bool:
    return all(_holds(i, env) for i in items)


@lru_cache(10_000)
def _age(x: Term) -> tuple[int, int, str]:
    """Order variables such that bounds of one mention only earlier ones: the program's, then rules', then constants of a proof."""
    return *x.data.age, str(x.data)


def _holds(item: Term, env: Sample) -> bool:
    try:
        return bool(evaluate(item, env))
    except Undefined:
        return True


def _choose(x: Term, env: Sample, bounds: Iterable[Term], rng: Random, spread: int) -> int:
    """Choose a value within the bounds that inequalities and equations with x give, if all their other variables have a value."""
    # an equation of remainders has many solutions
    low, high = _ends(x, env, [i for i in bounds if i.op == "le" or _is_linear(i, x) or rng.random() < 0.5])
    if low is None:
        low = -2 if high is None else high - spread
    high = low + spread if high is None else min(high, low + spread)
    return rng.choice((low, high, rng.randint(low, high))) if low <= high else low


def _is_linear(i: Term, x: Term) -> bool:
    return not any(x in a.free for a in i.args[0].parts if a is not x)


def _ends(x: Term, env: Sample, bounds: Iterable[Term]) -> tuple[int | None, int | None]:
    """Return the least and the greatest value of x, as far as its bounds tell."""
    low, high = None, None
    for i in bounds:
        try:
            at_0, slope = line(i.args[0], x, env)  # exact where the polynomial is linear in x; only a guess otherwise
        except Undefined:
            continue
        if slope and i.op == "eq":
            return int(-at_0 // slope), int(-at_0 // slope)
        if slope > 0:
            bound = -at_0 // slope
            high = bound if high is None else min(high, bound)
        elif slope < 0:
            bound = -(at_0 // slope)
            low = bound if low is None else max(low, bound)
    return low, high


def moved_to(facts: Facts, p: Term, least: bool) -> Iterator[Sample]:
    """Look near the samples for some for which p is 0, or negative (`least`).

    The variables of p are moved one after the other, to where a bound of theirs or p = 0 is, as far as that brings p nearer.
    """
    variables = _integers([p])
    for env in samples(facts) if len(variables) <= MAX_MOVED_VARIABLES else ():
        if all(x in env for x in variables) and (found := _moved(facts, p, least, variables, env)) is not None:
            yield found


def _moved(facts: Facts, p: Term, least: bool, variables: list[Term], env: Sample) -> Sample | None:
    try:
        distance = _distance(p, env, least)
        for x in (*variables, *variables):
            items = [i for i in facts.items if x in i.free]
            at_0, slope = line(p, x, env)
            ends = _ends(x, env, [i for i in items if i.op == "le" and i.args[0].sort is INT and _is_linear(i, x)])
            for value in (-at_0 // slope if slope else None, *ends):
                for near in (value - 1, value, value + 1) if value is not None else ():
                    there = {**env, x: near}
                    nearer = _distance(p, there, least)
                    if nearer < distance and all(evaluate(i, there) for i in items):
                        env, distance = there, nearer
            if distance <= 0:
                return env
    except Undefined:
        pass
    return None


def _distance(p: Term, env: Sample, least: bool) -> int:
    value = evaluate(p, env)
    return value + 1 if least else abs(value)
