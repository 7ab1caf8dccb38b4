"""Names of contents: `name` and `unfold` change how a state is written, and nothing else can be unfolded."""

from __future__ import annotations

from optigpu.kernel import instructions as kc
from optigpu.kernel.causes import OutOfOrder, WrongValue
from optigpu.logic import terms as k
from optigpu.logic.terms import ONE, TRUE, ZERO
from tests.support.kernel_states import B0, KNOWN_A, NOUGHT, THREE, A, begun, m, n, refused, store


def test_contents_that_are_named_and_unfolded_are_those_before() -> None:
    kernel, state = begun(pre=(KNOWN_A,))
    named = kernel.name(state, 1)
    x = named.held[1].value.args[0]
    assert named.held[1].value is k.app(x, B0) and named.definitions[x] is A
    assert kernel.unfold(named, (x,)).held[1] == state.held[1]


def test_nothing_is_known_of_a_name() -> None:
    kernel, state = begun(pre=(KNOWN_A,))
    value = state.held[1].value
    kernel.restate(state, 1, TRUE, value, ())
    assert isinstance(refused(kernel.restate, kernel.name(state, 1), 1, TRUE, value, ()), WrongValue)


def test_a_name_stands_for_the_contents_when_it_was_made() -> None:
    inside = (k.le(ZERO, m), k.lt(m, n))
    kernel, state = begun(store(m), pre=(KNOWN_A,), requires=inside)
    named = kernel.name(state, 1)
    x = named.held[1].value.args[0]
    stored = kernel.store(named, 1, (m,)).held[1].value
    after = kernel.unfold(kernel.store(named, 1, (m,)), (x,)).held[1].value
    assert after is kernel.store(state, 1, (m,)).held[1].value
    assert after is not stored and k.instantiate(after, (m,)) is not k.app(A, m)


def test_only_names_of_contents_are_unfolded() -> None:
    kernel, state = begun(kc.Bind(k.var("i", k.INT), ONE), pre=(KNOWN_A,))
    unknown = kernel.restate(state, 1, k.FALSE, NOUGHT, ())
    bound = kernel.let(state)
    others = (unknown.held[1].value.args[0], A, n, THREE, *bound.env)
    for s in (state, unknown, bound):
        for x in others:
            assert isinstance(refused(kernel.unfold, s, (x,)), OutOfOrder)


def test_a_name_of_one_branch_is_not_unfolded_after_it() -> None:
    kernel, state = begun(kc.Branch(k.lt(m, n), (), ()), pre=(KNOWN_A,))
    yes, no = kernel.enter_if(state)
    named = kernel.name(yes, 1)
    x = named.held[1].value.args[0]
    for ends in ((named, no), (named, kernel.restate(no, 1, k.FALSE, NOUGHT, ()))):
        assert isinstance(refused(kernel.unfold, kernel.join_if(*ends), (x,)), OutOfOrder)


def test_a_name_of_both_branches_means_nothing_after_them() -> None:
    """Each branch has given it another meaning."""
    kernel, state = begun(kc.Branch(k.lt(m, n), (store(m),), ()), pre=(KNOWN_A,), requires=(k.le(ZERO, m),))
    yes, no = kernel.enter_if(state)
    joined = kernel.join_if(kernel.name(kernel.store(yes, 1, (m,)), 1), kernel.name(no, 1))
    (x,) = joined.held[1].value.free - {m, n}
    assert isinstance(refused(kernel.unfold, joined, (x,)), OutOfOrder)
    assert isinstance(refused(kernel.restate, joined, 1, TRUE, state.held[1].value, ()), WrongValue)


def test_a_name_is_not_given_twice() -> None:
    """Also not to other contents of the same array, and not after the block in which it was given."""
    kernel, state = begun(kc.Branch(k.lt(m, n), (), ()), pre=(KNOWN_A,))
    yes, no = kernel.enter_if(state)
    joined = kernel.join_if(kernel.name(kernel.name(yes, 1), 1), no)
    again = kernel.name(joined, 1)
    assert again.definitions.keys().isdisjoint(joined.held[1].value.free)
    assert again.held[1].value.args[0] not in joined.held[1].value.free


def test_facts_are_unfolded_too() -> None:
    """What is known of a name holds of what it stands for."""
    test = k.lt(k.app(A, ZERO), NOUGHT)
    load = kc.LoadCell(k.var("x", k.REAL), kc.CellAddress("a", (ZERO,)))
    branch = kc.Branch(k.lt(k.var("x", k.REAL), NOUGHT), (kc.Oblige(test, kc.Obligation.DIVISION),), ())
    kernel, state = begun(load, branch, pre=(KNOWN_A,), requires=(k.lt(ZERO, n),))
    named = kernel.name(state, 1)
    yes, _ = kernel.enter_if(kernel.load(named, 1, (ZERO,)))
    assert refused(kernel.oblige, yes).reason == "division"
    kernel.oblige(kernel.unfold(yes, tuple(named.definitions)))
