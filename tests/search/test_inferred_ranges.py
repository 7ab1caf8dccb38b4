"""Ranges of integer variables that loops change are inferred: of last matches, counters, wrapped positions, bisections."""

from __future__ import annotations

from optigpu.kernel.iterations import IterationRange
from optigpu.logic import terms as k
from optigpu.logic.facts import Facts
from optigpu.logic.judge import ObligationJudge
from optigpu.logic.names import Name, Origin
from optigpu.logic.terms import INT, TRUE, ZERO
from optigpu.search.search_tools import SearchTools
from optigpu.search.variable_ranges import Changed, RangeSearch, leaves, strongest
from optigpu.solver.z3_solver import Z3Solver

# The search by itself

V, N, R = (k.var(name, INT) for name in ("v", "n", "r"))
TEST = k.var("test", k.BOOL)


def laws(final: k.Term, entry: k.Term = ZERO) -> k.Term:
    tools = SearchTools(ObligationJudge(Z3Solver()))
    facts = Facts().assume(k.le(ZERO, V), k.lt(V, N))
    ranges = RangeSearch(
        tools, facts, V, IterationRange(ZERO, N, k.bound(0, INT)), {"r": Changed(R, final, entry)}, ()
    ).laws()
    return k.instantiate(ranges.get("r", k.abstract(TRUE, (V, R))), (V, R))


def test_a_counter_is_at_most_the_number_of_iterations() -> None:
    law = Facts().assume(laws(k.ite(TEST, k.add(R, k.ONE), R)))
    assert law.proves(k.and_(k.le(ZERO, R), k.le(R, V)))
    assert not law.proves(k.lt(R, V))


def test_nothing_is_said_of_what_is_not_bounded() -> None:
    unknown = k.var(Name(Origin.OPAQUE, "", 1), INT)
    assert laws(k.ite(TEST, unknown, R)) is TRUE
    law = Facts().assume(laws(k.mul(R, k.num(3)), k.ONE))
    assert law.proves(k.le(ZERO, R)) and not law.proves(k.le(R, V))


def test_weaker_bounds_are_left_out() -> None:
    r, x = k.le(ZERO, R), k.le(R, N)
    assert strongest([k.le(k.num(-1), R), r, x, k.le(R, k.add(N, k.ONE))]) == [r, x]


def test_leaves_are_all_cases() -> None:
    t = k.add(k.ite(TEST, k.ONE, R), k.max_(V, N))
    parts = leaves(t)
    assert parts is not None and len(parts) == 4
    judge = ObligationJudge(Z3Solver())
    for condition, leaf in parts:
        assert judge.proves(Facts().assume(condition), k.eq(leaf, t))
    assert judge.proves(Facts(), k.or_(*(condition for condition, _ in parts)))
