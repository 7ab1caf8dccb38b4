"""Questions that need not be asked: a goal that is false in a model of the facts does not follow from them.

Nothing rests on this: the only answer that a model gives is "not proved".
"""

from __future__ import annotations

from functools import lru_cache

from optigpu.logic import terms as k
from optigpu.logic.facts import Facts
from optigpu.logic.quantifiers import UNIVERSAL
from optigpu.logic.terms import INT, Term
from optigpu.search.arbitrary_model import QUICK_EVALUATION, SMALL_EVALUATION, THOROUGH_EVALUATION, Model
from optigpu.search.samples import advice, moved_to, samples, small_samples

LINEAR = frozenset(("le", "eq", "not", "and", "or", "poly", "num", "var"))  # operators whose value is always defined


def differ(facts: Facts, a: Term, b: Term, *, thorough: bool = False) -> bool:
    """Is there a model of the facts in which a and b are not equal?"""
    a, b = facts.apply(a), facts.apply(b)  # samples are of the variables that the items have
    steps = THOROUGH_EVALUATION if thorough else QUICK_EVALUATION
    if thorough and any(_tell_apart(models, a, b, SMALL_EVALUATION) for models in _small_models(facts)):
        return True
    return _tell_apart(_models(facts, False), a, b, steps)


def _tell_apart(models: list[Model], a: Term, b: Term, steps: int) -> bool:
    """Do a and b differ in one of the models? No model may take more than half of the steps that are left."""
    for m in models:
        if m.tells_apart(a, b, steps // 2):
            return True
        steps -= m.steps_taken
    return False


def refuted(facts: Facts, goal: Term) -> bool:
    """Is there a model of the facts in which the goal is false?"""
    goal = facts.apply(goal)
    return any(m.truth(goal) is False for m in _models(facts, False))


def refuted_uninterpreted(facts: Facts, goal: Term) -> bool:
    """Is the goal false in a model of the ground facts in which big operators are unknown numbers, as a solver sees them?

    Sums of integers have bounds that the judge knows: a goal about one is false if it is false of the sum itself, too.
    """
    false = (m for m in _models(facts, True) if m.truth(goal) is False)
    bounded = any(t.sort is INT and not t.level for t in k.subterms_with(goal, "sum"))
    if any(not bounded or Model(m.env, False).truth(goal) is False for m in false):
        return True
    if goal.op != "not" or goal.args[0].op != "eq" or goal.args[0].args[0].sort is not INT:
        return False
    possible = (Model(env, True) for env in moved_to(facts, goal.args[0].args[0], least=False))
    return any(all(m.truth(i) for i in _ground(facts, True)) for m in possible)


def _models(facts: Facts, uninterpreted: bool) -> list[Model]:
    remembered = advice(facts)
    if uninterpreted not in remembered.models:
        items = [i for i in _ground(facts, uninterpreted) if not _holds_for_samples(i)]
        models = [Model(env, uninterpreted) for env in samples(facts)]
        remembered.models[uninterpreted] = [m for m in models if all(_holds(m, i) for i in items)]
    return remembered.models[uninterpreted]


def _holds(m: Model, item: Term) -> bool:
    """Does a fact hold in a model? One with many instances is evaluated once for the same numbers: facts that extend others have
    most of their numbers, too."""
    if k.BINDERS.isdisjoint(item.ops):
        return bool(m.truth(item))
    return _holds_for(item, frozenset((x, m.env[x]) for x in item.free if x in m.env), m.uninterpreted)


@lru_cache(10_000)
def _holds_for(item: Term, numbers: frozenset[tuple[Term, int]], uninterpreted: bool) -> bool:
    return bool(Model(dict(numbers), uninterpreted).truth(item))


def _small_models(facts: Facts) -> list[list[Model]]:
    models = [[Model(env, False) for env in found] for found in small_samples(facts)]
    return [[m for m in found if all(m.truth(i) for i in facts.items)] for found in models]


def _ground(facts: Facts, uninterpreted: bool) -> list[Term]:
    return [i for i in facts.items if not (uninterpreted and i.op in UNIVERSAL)]


def _holds_for_samples(item: Term) -> bool:
    """Is this a fact about integers alone that has a value for every sample, and so is known to hold?"""
    return item.ops <= LINEAR and all(x.sort is INT for x in item.free)
