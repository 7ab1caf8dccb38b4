"""Bounds of a maximum follow from its terms: the judge's answers hold in a model, and are not given without a reason."""

from __future__ import annotations

import pytest

from optigpu.logic import terms as k
from optigpu.logic.facts import Facts
from optigpu.logic.judge import ObligationJudge
from optigpu.logic.terms import INT, REAL, ZERO, Term, fun_sort
from optigpu.search.advice import SearchGuide
from optigpu.solver.z3_solver import Z3Solver

A = k.var("A", fun_sort((INT,), REAL))
n, m = (k.var(v, INT) for v in "nm")
v, x = (k.var(name, REAL) for name in "vx")
BODY = k.app(A, k.bound(0, INT))
MOST = k.big("fold_max", ZERO, n, BODY, v)
NESTED = k.big("fold_max", ZERO, m, k.big("fold_max", ZERO, n, BODY, v), v)

SOME, SOME_ROWS = k.lt(ZERO, n), k.lt(ZERO, m)
EACH_LESS = k.big("all", ZERO, n, k.lt(BODY, x))
EACH_AT_MOST = k.big("all", ZERO, n, k.le(BODY, x))
EACH_GREATER = k.big("all", ZERO, n, k.lt(x, BODY))
LATER_GREATER = k.big("all", k.ONE, n, k.lt(x, BODY))


def proves(goal: Term, *facts: Term) -> bool:
    return ObligationJudge(Z3Solver()).proves(Facts(SearchGuide()).assume(*facts), goal)


@pytest.mark.parametrize(
    ("goal", "facts"),
    [
        (k.lt(MOST, x), (EACH_LESS, k.lt(v, x))),
        (k.le(MOST, x), (EACH_AT_MOST, k.le(v, x))),
        (k.lt(x, MOST), (EACH_GREATER, SOME)),
        (k.lt(x, MOST), (k.lt(x, v),)),
        (k.lt(x, NESTED), (EACH_GREATER, SOME, SOME_ROWS)),
        (k.lt(NESTED, x), (EACH_LESS, k.lt(v, x))),
        (k.lt(k.scale(2, MOST), k.scale(2, x)), (EACH_LESS, k.lt(v, x))),
    ],
)
def test_a_bound_follows_from_the_terms(goal: Term, facts: tuple[Term, ...]) -> None:
    assert proves(goal, *facts)


@pytest.mark.parametrize(
    ("goal", "facts"),
    [
        (k.lt(MOST, x), (EACH_LESS,)),  # the initial value may be greater
        (k.lt(MOST, x), (EACH_AT_MOST, k.lt(v, x))),
        (k.lt(MOST, x), (k.lt(v, x),)),
        (k.lt(x, MOST), (EACH_GREATER,)),  # there may be no element
        (k.lt(x, MOST), (LATER_GREATER, SOME)),  # there may be only the first one
        (k.lt(x, NESTED), (EACH_GREATER, SOME)),
        (k.lt(x, MOST), (EACH_LESS, SOME)),
    ],
)
def test_a_bound_does_not_follow(goal: Term, facts: tuple[Term, ...]) -> None:
    assert not proves(goal, *facts)
