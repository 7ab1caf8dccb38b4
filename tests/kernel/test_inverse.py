"""The rule `inverse`: an injective function has a left inverse, and nothing else has."""

from __future__ import annotations

from optigpu.kernel import State
from optigpu.kernel import instructions as kc
from optigpu.kernel.causes import OutOfOrder
from optigpu.logic import terms as k
from optigpu.logic.facts import Facts
from optigpu.logic.terms import BOOL, INT, ONE, ZERO, Term
from optigpu.logic.terms.core import interned
from optigpu.search.advice import SearchGuide
from tests.support.kernel_states import B0, B1, A, i, kernel_of, m, n, refused
from tests.support.open_kernel import OpenKernel as Kernel

P = k.var("P", k.fun_sort((INT,), INT))


def injective(low: Term, high: Term) -> Term:
    """For all i and j in the range: if P(i) = P(j), then i = j."""
    inside = (k.le(low, x) for x in (B0, B1)), (k.lt(x, high) for x in (B0, B1))
    same = k.implies(k.eq(k.app(P, B0), k.app(P, B1)), k.eq(B0, B1))
    return interned("forall", (k.implies(k.and_(*inside[0], *inside[1]), same),), BOOL, (INT, INT))


def started(*code: kc.Instruction, requires: tuple[Term, ...]) -> tuple[Kernel, State]:
    """The start of a function whose universal facts are used."""
    kernel = kernel_of(*code, requires=requires)
    kernel.judge.root = Facts(SearchGuide())
    return kernel, kernel.begin("f", ((B0,),))


def test_an_injective_function_has_a_left_inverse() -> None:
    kernel, state = started(requires=(k.le(ZERO, n), injective(ZERO, n)))
    after = kernel.inverse(state, P, ZERO, n)
    (fact,) = after.facts.assumptions[len(state.facts.assumptions) :]
    (g,) = fact.free - {P, n}
    assert fact is k.big("all", ZERO, n, k.eq(k.app(g, k.app(P, B0)), B0))
    (h,) = kernel.inverse(after, P, ZERO, n).facts.assumptions[-1].free - {P, n}
    assert g is not h and g not in {x for t in state.facts.assumptions for x in t.free}


def test_a_function_of_which_less_is_known_has_none() -> None:
    kernel, state = started(requires=(k.le(ZERO, n), injective(ONE, n)))
    kernel.inverse(state, P, ONE, n)
    for low, high in ((ZERO, n), (ONE, k.add(n, ONE)), (ONE, m)):
        refused(kernel.inverse, state, P, low, high)
    assert isinstance(refused(kernel.inverse, state, A, ONE, n), OutOfOrder)


def test_terms_from_outside_exist_and_are_closed() -> None:
    kernel, state = started(requires=(k.le(ZERO, n), injective(ZERO, n)))
    unknown = state.fresh("inverse", P.sort)
    assert isinstance(refused(kernel.inverse, state, unknown, ZERO, ZERO), OutOfOrder)
    assert isinstance(refused(kernel.inverse, state, P, ZERO, B0), OutOfOrder)


def test_an_inverse_is_introduced_in_the_outermost_block() -> None:
    kernel, state = started(kc.Branch(k.lt(i, n), (), ()), requires=(k.le(ZERO, n), injective(ZERO, n)))
    yes, _ = kernel.enter_if(state)
    assert isinstance(refused(kernel.inverse, yes, P, ZERO, n), OutOfOrder)
