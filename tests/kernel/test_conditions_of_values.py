"""Side conditions about machine integers, lemmas, laws, gathered families and terms: each rejects a wrong program."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from optigpu.kernel import Judge as SealedJudge
from optigpu.kernel import Rejected, State
from optigpu.kernel import instructions as kc
from optigpu.kernel.causes import (
    BrokenInvariant,
    MissingPermission,
    NotOwner,
    OutOfOrder,
    Overflow,
    Overlap,
    WrongContext,
    WrongShape,
)
from optigpu.kernel.context import PendingRead
from optigpu.kernel.loop_contract import Invariant, LoopContract
from optigpu.kernel.sealed import SealedFacts
from optigpu.kernel.side_conditions import Take
from optigpu.kernel.state import changed
from optigpu.logic import terms as k
from optigpu.logic.bounds import bounds_from
from optigpu.logic.cells import FULL, KNOWN, READ, SOME, CellClaim, Cells, Owner, box
from optigpu.logic.equality import maximum_parts, scaled_maximum_parts
from optigpu.logic.facts import Facts, Guide
from optigpu.logic.judge import ObligationJudge
from optigpu.logic.names import Name, Origin
from optigpu.logic.terms import INT, ONE, REAL, TRUE, ZERO, Term
from optigpu.logic.terms.core import interned
from optigpu.search.advice import SearchGuide
from optigpu.solver.z3_solver import Z3Solver
from tests.support.kernel_states import (
    B0,
    B1,
    ID,
    SIX,
    SIZES,
    VIEWS,
    WHOLE,
    A,
    begun,
    callee,
    kernel_of,
    launched,
    loop,
    m,
    n,
    refused,
    shuffling,
)
from tests.support.needed_conditions import SIZE
from tests.support.open_kernel import OpenKernel as Kernel
from tests.support.open_kernel import entered_loop

# Machine integers, and what lies in memory

WIDTH = (-8, 7)
NUMBERS = kc.Parameter("q", INT, (n,), limits=WIDTH)
HELD_Q = CellClaim(box("q", (n,)), SOME)


def test_what_overflows_is_assumed_to_fit_only_where_the_program_says_so() -> None:
    for unbounded in (False, True):
        kernel, state = begun(
            kc.Oblige(k.lt(n, ZERO), kc.Obligation.OVERFLOW, at=7),
            kc.Oblige(k.le(ZERO, n), kc.Obligation.OVERFLOW, at=8),
            pre=(),
        )
        kernel = kernel.of_program(replace(kernel.program, unbounded=unbounded))
        if unbounded:
            assert kernel.oblige(state).facts.proves(k.lt(n, ZERO))
            assert kernel.ledger.unbounded == {7}
        else:
            assert refused(kernel.oblige, state).reason == "overflow"
    kernel, state = begun(kc.Oblige(k.lt(n, ZERO), kc.Obligation.DIVISION, at=7), pre=())
    kernel = kernel.of_program(replace(kernel.program, unbounded=True))
    assert refused(kernel.oblige, state).reason == "division"  # no number is assumed to be another one
    kernel, state = begun(kc.Oblige(k.le(ZERO, n), kc.Obligation.OVERFLOW, at=8), pre=())
    kernel = kernel.of_program(replace(kernel.program, unbounded=True))
    kernel.oblige(state)
    assert kernel.ledger.unbounded == set()  # what is shown is not assumed


@pytest.mark.parametrize(("value", "fits"), [(0, True), (255, True), (256, False), (-1, False)])
def test_a_store_is_of_a_number_of_the_element_type(value: int, fits: bool) -> None:
    store_it = kc.StoreCell(kc.CellAddress("q", (ZERO,)), k.num(value))
    numbers = kc.Parameter("q", INT, (n,), limits=(0, 255))
    claim = CellClaim(box("q", (n,)), SOME)
    kernel, state = begun(store_it, pre=(claim,), requires=(k.lt(ZERO, n),), params=(numbers,))
    if fits:
        assert kernel.store(state, 1, (ZERO,)).next is None
    else:
        cause = refused(kernel.store, state, 1, (ZERO,))
        assert isinstance(cause, Overflow) and cause.limits == (0, 255)


def test_the_product_of_two_sizes_is_bounded_where_they_are_not_negative() -> None:
    matrix = kc.Parameter("q", INT, (n, m), bytes=4)
    bound = k.le(k.mul(k.num(4), n, m), k.num(1 << 47))
    for requires, known in ((SIZES, True), ((k.le(ZERO, n),), False), ((), False)):
        kernel = kernel_of(pre=(CellClaim(box("q", (n, m)), SOME),), requires=requires, params=(matrix,))
        state = kernel.begin("f", ((B1, B0),))
        assert kernel.judge.proves(state.facts, bound) == known


@pytest.mark.parametrize(("space", "known"), [("GMem", True), ("SMem", False), ("TReg", False)])
def test_shared_arrays_of_all_blocks_need_not_fit_into_memory(space: str, known: bool) -> None:
    """There is one for each block, and not all blocks are there at one time."""
    array = kc.Parameter("q", INT, (n,), space, bytes=4)
    kernel = kernel_of(pre=(HELD_Q,), params=(array,), device=True, space=space)
    state = kernel.begin("f", ((B0,),))
    assert kernel.judge.proves(state.facts, k.le(k.mul(k.num(4), n), k.num(1 << 47))) == known


def test_of_what_is_not_held_no_limits_are_known() -> None:
    contents, even = k.var("Q", k.fun_sort((INT,), INT)), k.eq(k.fmod(B0, k.num(2)), ZERO)
    held = CellClaim(replace(box("q", (n,)), where=even), KNOWN, k.app(contents, B0))
    kernel = kernel_of(pre=(held,), params=(NUMBERS,), requires=(k.eq(n, k.num(4)), k.le(ZERO, m)))
    kernel.judge.root = Facts(SearchGuide())
    state = kernel.begin("f", ((B0,),))
    for at, known in ((2, True), (1, False), (6, False)):
        assert kernel.judge.proves(state.facts, k.le(k.app(contents, k.num(at)), k.num(7))) == known


def test_an_array_is_passed_for_one_with_elements_of_the_same_type() -> None:
    size = k.var("k", INT)
    claim = CellClaim(box("y", (size,)), SOME)
    for limits, accepted in ((WIDTH, True), (None, False), ((-8, 8), False), ((0, 7), False)):
        wanted = kc.Parameter("y", INT, (size,), limits=limits)
        g = callee(
            params=(kc.Parameter("k", INT), wanted), contract=kc.ProcedureContract((), (), (claim,), (claim,), ())
        )
        call = kc.Invoke(None, "g", (n, kc.ArrayView("q", (), ZERO)))
        kernel, state = begun(call, pre=(HELD_Q,), params=(NUMBERS,), others=(g,))
        if accepted:
            kernel.call(state, (), (ID,), ())
        else:
            assert isinstance(refused(kernel.call, state, (), (ID,), ()), WrongShape)


# Lemmas, and theorems of other programs


def test_only_a_lemma_without_memory_is_used_in_a_kernel() -> None:
    nothing = kc.ProcedureContract((), (), (), (), ())
    size = kc.Parameter("k", INT)
    for lemma, params, accepted in ((True, (), True), (False, (), False), (True, (size,), False)):
        g = kc.Procedure("g", params, nothing, (), admitted=True, lemma=lemma)
        kernel, state = launched(kc.Invoke(None, "g", (n,) * len(params)), requires=SIX, others=(g,))
        if accepted:
            kernel.call(state, (), (), ())
        else:
            assert isinstance(refused(kernel.call, state, (), (), ()), WrongContext)


def test_a_theorem_is_one_of_its_axioms() -> None:
    untrue = (("wrong", k.FALSE),)
    kernel = kernel_of(pre=(), ensures=(k.FALSE,))
    kernel = kernel.of_program(replace(kernel.program, axioms=untrue))
    theorem = kernel.finish(kernel.begin("f", ()), (), ((),))
    other = kernel_of(pre=(), ensures=(k.FALSE,))
    with pytest.raises(ValueError, match="another program"):
        other.recall(theorem)
    other = other.of_program(replace(other.program, axioms=untrue))
    assert other.recall(theorem) == theorem


def test_a_record_is_no_other_tuple_of_the_same_things() -> None:
    place = kc.CellAddress("a", (n,))
    assert place == kc.CellAddress("a", (n,)) and place != kc.CellAddress("a", (m,))
    assert place != ("a", (n,)) and ("a", (n,)) != place
    assert kc.ArrayView("a", (), ZERO) != kc.LoadCell("a", (), ZERO)  # type: ignore[arg-type]


# Invariants and laws


def test_a_law_is_a_statement() -> None:
    kernel, state = begun(loop())
    refused(kernel.enter_loop, state, LoopContract((), (Invariant(1, TRUE, None, law=ZERO),)))
    kernel.enter_loop(state, LoopContract((), (Invariant(1, TRUE, None, law=TRUE),)))


def cell(name: str, where: Term = TRUE) -> Cells:
    return Cells(name, (), where, ())


def at_the_end(*invariants: Invariant) -> tuple[Kernel, State]:
    """The end of the body of a loop that has stored 3 into p and 4 into q."""
    names = ("p", "q")[: len(invariants)]
    params = tuple(kc.Parameter(name, INT, ()) for name in names)
    stores = tuple(kc.StoreCell(kc.CellAddress(name, ()), k.num(3 + c)) for c, name in enumerate(names))
    kernel = kernel_of(loop(*stores), pre=tuple(CellClaim(cell(name), SOME) for name in names), params=params)
    state = kernel.begin("f", ((),) * len(names))
    end = kernel.enter_loop(state, LoopContract((), invariants, (k.le(B0, n),)))
    for number in range(1, len(names) + 1):
        end = kernel.store(end, number, ())
    return kernel, end


def test_contents_that_an_invariant_does_not_tell_are_not_equal_to_others() -> None:
    both = (Invariant(1, TRUE, None), Invariant(2, TRUE, None))
    kernel, end = at_the_end(*both)
    contract = replace(entered_loop(end).contract, facts=(k.lt(B0, ZERO),))
    wrong = changed(end, block=replace(end.block, opened_by=replace(entered_loop(end), contract=contract)))
    assert isinstance(refused(kernel.leave_loop, wrong, (), ((), ())), BrokenInvariant)
    kernel.leave_loop(end, (), ((), ()))


@pytest.mark.parametrize("which", ["where", "init", "ranges"])
def test_what_an_invariant_tells_of_a_cell_is_known_where_it_holds_something(which: str) -> None:
    """It says that p holds 5, of no cell or of one that holds nothing: that is not known then."""
    invariant = Invariant(1, k.FALSE if which == "init" else TRUE, k.num(5))
    none = which == "ranges"
    param = kc.Parameter("p", INT, (ZERO,) if none else ())
    held = box("p", (ZERO,)) if none else cell("p", k.lt(n, ZERO) if which == "where" else TRUE)
    kernel = kernel_of(loop(), pre=(CellClaim(held, SOME),), params=(param,))
    state = kernel.begin("f", ((B0,) if none else (),))
    state = changed(state, held={1: replace(state.held[1], value=k.num(3))})
    end = kernel.enter_loop(state, LoopContract((), (invariant,), (k.le(B0, n),)))
    end = changed(end, held={1: replace(end.held[1], value=k.num(3))})
    contract = replace(entered_loop(end).contract, facts=(k.lt(B0, ZERO),))
    wrong = changed(end, block=replace(end.block, opened_by=replace(entered_loop(end), contract=contract)))
    assert isinstance(refused(kernel.leave_loop, wrong, (), ((),)), BrokenInvariant)


# Two families as one

LEFT, RIGHT = Cells("a", ((ZERO, m),), TRUE, (B0,)), Cells("a", ((m, n),), TRUE, (B0,))
BOTH = (Take(1, (B0,), (B0,)), Take(2, (B0,), (B0,)))
FIRST = k.lt(B0, m)


def two_parts(share: str = FULL) -> tuple[Kernel, State]:
    claims = (CellClaim(LEFT, SOME, None, share), CellClaim(RIGHT, SOME))
    return begun(pre=claims, requires=(*SIZES, k.le(m, n)))


def test_gathered_cells_are_those_of_both() -> None:
    kernel, state = two_parts()
    after = kernel.gather(state, WHOLE, FIRST, BOTH)
    assert [r.cells for r in after.held.values()] == [WHOLE]
    for cells, test in (
        (box("a", (k.add(n, ONE),)), FIRST),
        (WHOLE, TRUE),
        (WHOLE, k.le(B0, m)),
        (WHOLE, k.not_(FIRST)),
    ):
        assert isinstance(refused(kernel.gather, state, cells, test, BOTH), MissingPermission | Overlap)
    assert isinstance(refused(kernel.gather, state, WHOLE, FIRST, (BOTH[0], BOTH[0])), MissingPermission)
    for takes in (BOTH[:1], (*BOTH, BOTH[0])):
        with pytest.raises((Rejected, ValueError)):
            kernel.gather(state, WHOLE, FIRST, takes)


def test_gathered_cells_are_said_with_names_that_exist() -> None:
    kernel, state = two_parts()
    (b,), _ = state.facts.arbitrary(INT)
    for stranger in (b, state.fresh("a", INT)):
        named = k.le(stranger, B0)
        for cells, test, takes in (
            (replace(WHOLE, where=named), FIRST, BOTH),
            (WHOLE, k.or_(FIRST, named), BOTH),
            (WHOLE, FIRST, (Take(1, (stranger,), (B0,)), BOTH[1])),
        ):
            assert isinstance(refused(kernel.gather, state, cells, test, takes), OutOfOrder)


def test_what_decides_between_two_families_is_about_their_binders() -> None:
    kernel, state = two_parts()
    assert isinstance(refused(kernel.gather, state, WHOLE, k.or_(FIRST, k.lt(B1, ZERO)), BOTH), WrongShape)


def test_what_is_gathered_is_held_in_full_and_by_everyone() -> None:
    kernel, state = two_parts(READ)
    assert isinstance(refused(kernel.gather, state, WHOLE, FIRST, BOTH), MissingPermission)
    kernel, state = two_parts()
    owned = changed(state, held={**state.held, 2: replace(state.held[2], owner=Owner(ZERO, ONE))})
    assert isinstance(refused(kernel.gather, owned, WHOLE, FIRST, BOTH), NotOwner)
    read = changed(state, pending_reads=(PendingRead(2, RIGHT, Owner(ZERO, ONE)),))
    assert isinstance(refused(kernel.gather, read, WHOLE, FIRST, BOTH), NotOwner)


# Products


def test_only_what_is_not_negative_is_multiplied() -> None:
    """n * m >= 0 of n >= 0 and m >= 0, whatever the guide says of others."""

    class Eager(Guide):
        def products(self, facts: Facts, goal: Term) -> list[tuple[Term, Term]]:
            return [(n, m), (m, n), (n, n), (k.neg(n), n), (k.bound(0, INT), n)]

    goal = k.le(ZERO, k.mul(n, m))
    for signs, follows in ((SIZES, True), (SIZES[:1], False), (SIZES[1:], False), ((), False)):
        judge = ObligationJudge(root=Facts(Eager()))
        assert judge.proves(judge.root.assume(*signs), goal) == follows
    judge = ObligationJudge(root=Facts(Eager()))
    assert not judge.proves(judge.root.assume(k.le(ONE, n)), k.le(k.mul(n, n), ZERO))


def test_a_maximum_is_scaled_by_what_is_not_negative() -> None:
    most, judge = k.max_(n, m), ObligationJudge()
    for factor, signs, split in (
        (k.num(2), (), True),
        (k.num(-1), (), False),
        (SIZE, (), False),
        (SIZE, (k.le(ZERO, SIZE),), True),
    ):
        t = k.add(k.mul(factor, most), ONE)
        parts = scaled_maximum_parts(judge, judge.root.assume(*signs), t)
        assert len(parts) == (2 if split else 1)
        if not split:
            assert parts == maximum_parts(t)
    loose = k.add(most, B0)  # what is added would be another binder's
    assert scaled_maximum_parts(judge, judge.root, loose) == maximum_parts(loose)


def test_registers_that_are_shuffled_have_one_type() -> None:
    shuffle = kc.Shuffle("shfl_down", *VIEWS, ONE)
    maps = (2, (B0,), 3, (B0,), (B0,))
    kernel, state = shuffling(shuffle)
    kernel.shuffle(state, *maps)
    narrow = {name: replace(b, limits=WIDTH) if name == shuffle.target.base else b for name, b in state.bases.items()}
    assert isinstance(refused(kernel.shuffle, changed(state, bases=narrow), *maps), WrongShape)


def test_a_quotient_is_bounded_by_what_is_divided_if_both_are_known_not_to_be_negative() -> None:
    d, power = SIZE, k.pow2(SIZE)
    positive = (k.le(ONE, d),)
    assert Facts().assume(*positive, k.le(ZERO, n)).proves(k.le(k.fdiv(n, d), n))
    assert not Facts().assume(*positive).proves(k.le(k.fdiv(n, d), n))  # -5 div 2 is -3
    assert Facts().assume(k.le(ZERO, d)).proves(k.le(k.mul(power, k.fdiv(n, power)), n))
    assert not Facts().proves(k.le(k.mul(power, k.fdiv(n, power)), n))  # 2^k is a positive number for k >= 0


class Lookalike:
    """Equal to whatever it is compared with."""

    def __init__(self, of: object) -> None:
        self.of = of

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return hash(self.of)


def test_terms_are_made_of_terms_numbers_and_sorts() -> None:
    for monomial, c in (((n,), Lookalike(7)), ((Lookalike(n),), 7), ((n, Lookalike(m)), 7)):
        with pytest.raises(TypeError):
            interned("poly", (), INT, ((monomial, c), ((), 1)))
    with pytest.raises(TypeError):
        interned("var", (), Lookalike(INT), Name(Origin.PROGRAM, "another", 1))  # type: ignore[arg-type]


class Turning:
    """One pair when it is looked at first, another one later."""

    def __init__(self) -> None:
        self.asked = 0

    def __iter__(self) -> Any:
        self.asked += 1
        return iter((ONE, ONE) if self.asked == 1 else (n, ONE))

    def __len__(self) -> int:
        return 2


@pytest.mark.parametrize(
    "pair", [Turning(), (ONE, ONE, n), (n,), [ONE, ONE], ("n", ONE)], ids=["turning", "three", "one", "list", "name"]
)
def test_what_is_multiplied_is_a_pair_of_terms(pair: Any) -> None:
    class Liar(Guide):
        def products(self, facts: Facts, goal: Term) -> Any:
            return [pair]

    judge = ObligationJudge(root=Facts(Liar()))
    with pytest.raises(TypeError):
        judge.proves(judge.root, k.le(ZERO, n))


def test_advice_is_given_about_facts_as_others_see_them() -> None:
    """Whoever has the facts themselves could write answers into them."""
    seen: list[Any] = []

    class Curious(Guide):
        def refutes(self, facts: Facts, p: Term) -> bool:
            seen.append(facts)
            return False

        def bounds(self, facts: Facts, summand: Term, above: bool) -> list[int]:
            seen.append(facts)
            return [5]

        def products(self, facts: Facts, goal: Term) -> list[tuple[Term, Term]]:
            seen.append(facts)
            return []

    judge = SealedJudge(Z3Solver(), Curious())
    values = k.var("f", k.fun_sort((INT,), INT))
    judge.proves(judge.root, k.le(ZERO, k.add(k.big("sum", ZERO, n, k.app(values, B0)), k.num(5))))
    assert len(seen) > 3 and {type(facts) for facts in seen} == {SealedFacts}


def test_terms_are_of_the_sort_they_say() -> None:
    half = Fraction(1, 2)
    r = k.var("r", REAL)

    class Other(tuple):  # type: ignore[type-arg]
        pass

    for sort, monomial, c in (
        (INT, (n,), half), (INT, (r,), 2), (REAL, (n,), half), (INT, [n], 2), (INT, Other((n,)), 2), (REAL, (r,), Lookalike(7)),
    ):  # fmt: skip
        with pytest.raises(TypeError):
            interned("poly", (), sort, ((monomial, c), ((), 1)))
    with pytest.raises(TypeError):
        k.scale(half, n)
    with pytest.raises(TypeError):
        k.var(5, INT)  # type: ignore[arg-type]


def test_results_are_remembered_of_terms_alone() -> None:
    """Something that is equal to terms would have its result found in their place."""

    class Other(tuple):  # type: ignore[type-arg]
        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return hash((m,))

    body = k.eq(k.app(A, B0), k.num(0, REAL))
    for function in (k.instantiate, k.abstract):
        for args in (Other((n,)), [n], (Lookalike(n),)):
            with pytest.raises(TypeError):
                function(body, args)  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            function(Lookalike(body), (n,))  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        bounds_from(Lookalike(n))  # type: ignore[arg-type]
    assert type(bounds_from(k.sub(n, m))) is tuple  # nobody adds to what is remembered


def test_bounds_of_summands_are_shown() -> None:
    """A sum of n numbers that somebody says are at most 0."""

    class Liar(Guide):
        def bounds(self, facts: Facts, summand: Term, above: bool) -> list[int]:
            return [0]

    judge = ObligationJudge(Z3Solver(), Facts(Liar()))
    values = k.var("q", k.fun_sort((INT,), INT))
    total = k.big("sum", ZERO, n, k.app(values, B0))
    facts = judge.root.assume(k.le(ZERO, n))
    assert not judge.proves(facts, k.le(total, ZERO)) and not judge.proves(facts, k.le(ZERO, total))
