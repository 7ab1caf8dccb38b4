"""Questions of the search, put to the judge unless a model shows at once that the answer is no."""

from __future__ import annotations

from optigpu.logic.facts import Facts
from optigpu.logic.judge import Judge
from optigpu.logic.terms import Term
from optigpu.search.models import refuted


def follows(judge: Judge, facts: Facts, goal: Term) -> bool:
    return not refuted(facts, goal) and judge.proves(facts, goal, count=False)
