"""Each rule of the kernel against the finite model: a conclusion that it accepts is true there, and it rejects false ones."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from optigpu.elaborate.permission_claims import make_cells
from optigpu.kernel import Rejected, State
from optigpu.kernel import instructions as kc
from optigpu.kernel.causes import (
    BrokenInvariant,
    Cause,
    DependentIterations,
    DifferentBranches,
    EndlessLoop,
    Leak,
    MissingPermission,
    NegativeSize,
    NotAllocated,
    NotCounting,
    Operation,
    OutOfOrder,
    StepNotPositive,
    Uninitialised,
    WrongValue,
)
from optigpu.kernel.iterations import iterations
from optigpu.kernel.ledger import LedgerEntries
from optigpu.kernel.loop_contract import Exclusive, Invariant, LoopContract
from optigpu.kernel.side_conditions import Take, member
from optigpu.logic import terms as k
from optigpu.logic.cells import FULL, KNOWN, READ, SOME, UNINIT, CellClaim, CellFamily, Cells, arguments
from optigpu.logic.facts import Facts
from optigpu.logic.judge import ObligationJudge
from optigpu.logic.names import Origin
from optigpu.logic.terms import INT, ONE, REAL, TRUE, ZERO, Term
from optigpu.search.fresh_names import FreshNames
from optigpu.search.inverse import invert
from optigpu.solver.z3_solver import Z3Solver
from tests.support.model import cell_list, contents, environments, is_injective
from tests.support.open_kernel import OpenKernel as Kernel
from tests.support.properties import accepted
from tests.support.terms import evaluate

n, m = k.var("n", INT), k.var("m", INT)
A = k.var("A", k.fun_sort((INT,), REAL))
FUNCTIONS = {"A": lambda i: i * 7 % 5 + 1}
I0, I1 = k.bound(0, INT), k.bound(1, INT)
ARRAY = CellClaim(make_cells("a", ((k.var("i", INT), ZERO, n),), TRUE, (k.var("i", INT),)), KNOWN, k.app(A, I0))
FRESH = FreshNames()


def kernel_for(
    code: kc.Instructions,
    pre: tuple[CellClaim, ...] = (ARRAY,),
    post: tuple[CellClaim, ...] = (),
    requires: tuple[Term, ...] = (),
) -> Kernel:
    contract = kc.ProcedureContract((), requires, pre, post, ())
    params = (kc.Parameter("n", INT), kc.Parameter("m", INT), kc.Parameter("a", REAL, (None,)))
    f = kc.Procedure("f", params, contract, code)
    return Kernel(ObligationJudge(Z3Solver()), kc.KernelProgram({"f": f}), LedgerEntries())


def begin(
    code: kc.Instructions, requires: tuple[Term, ...] = (), pre: tuple[CellClaim, ...] = (ARRAY,)
) -> tuple[Kernel, State]:
    kernel = kernel_for(code, pre, requires=requires)
    return kernel, kernel.begin("f", tuple((I0,) for _ in pre))


def small_models(facts: Facts) -> list[dict[str, Any]]:
    return list(environments(("n", "m"), range(-2, 6), facts, FUNCTIONS))


def rejected(f: Any, *args: Any) -> Cause:
    with pytest.raises(Rejected) as e:
        f(*args)
    return e.value.cause


# Sets of cells


def random_cells(r: Random) -> Cells:
    i, j = k.var("i", INT), k.var("j", INT)
    high = r.choice([n, m, k.num(3), k.add(n, ONE), k.fdiv(n, k.num(2))])
    low = r.choice([ZERO, ZERO, ONE, k.num(-1), m])
    where = r.choice([TRUE, TRUE, k.lt(i, m), k.eq(k.fmod(i, k.num(2)), ZERO), k.not_(k.eq(i, m))])
    if r.random() < 0.3:
        index = r.choice([k.add(k.scale(2, i), j), k.add(k.scale(3, i), j), k.add(i, j), k.add(k.mul(m, i), j)])
        return make_cells("a", ((i, low, high), (j, ZERO, r.choice([k.num(2), k.num(3), m]))), where, (index,))
    index = r.choice(
        [
            i,
            i,
            k.add(i, ONE),
            k.scale(2, i),
            k.sub(k.sub(n, ONE), i),
            k.add(k.scale(2, i), ONE),
            k.fdiv(i, k.num(2)),
            ZERO,
            k.neg(i),
        ]
    )
    return make_cells("a", ((i, low, high),), where, (index,))


def random_facts(r: Random) -> Facts:
    options = [
        k.le(ZERO, n),
        k.le(ZERO, m),
        k.le(m, n),
        k.eq(n, k.scale(2, m)),
        k.lt(m, n),
        k.eq(k.fmod(n, k.num(2)), ZERO),
        k.le(n, k.num(4)),
    ]
    return Facts().assume(*r.sample(options, r.randint(0, 4)))


def part_of(have: Cells, r: Random) -> Cells:
    """The cells of a family that also satisfy a random guard."""
    x = k.bound(0, INT)
    guard = r.choice([TRUE, k.lt(x, m), k.le(ONE, x), k.eq(k.fmod(x, k.num(2)), ZERO), k.lt(x, k.sub(n, ONE))])
    return replace(have, where=k.and_(have.where, guard))


def taken_cells_are_a_subset(seed: int) -> bool:
    """Whether the kernel accepts one family as part of another. If so, it is a subset in every model, and injective."""
    r = Random(seed)
    facts = random_facts(r)
    have = random_cells(r)
    need = part_of(have, r) if r.random() < 0.3 else random_cells(r)
    kernel, _ = begin(())
    xs, ys = FRESH.temporaries(need.arity), FRESH.temporaries(have.arity)
    forward, back = (
        invert(have, need.at(xs), facts.assume(need.domain(xs)), FRESH),
        invert(need, have.at(ys), facts.assume(have.domain(ys)), FRESH),
    )
    if forward is None or back is None:
        return False
    maps = tuple(k.abstract(t, xs) for t in forward), tuple(k.abstract(t, ys) for t in back)
    family = CellFamily(have, k.num(0, REAL), TRUE)
    try:
        kernel.conditions.require_cells(Operation.LOAD, facts, need, family, *maps)
    except Rejected:
        return False
    taken = member(need, family, maps[1])
    for env in small_models(facts):
        if not is_injective(have, env):
            continue  # the kernel's invariant about the family it is found in
        inside = cell_list(need, env)
        assert set(inside) <= set(cell_list(have, env)), (facts.assumptions, need, have, env)
        assert len(set(inside)) == len(inside), (facts.assumptions, need, have, env)
        rest = cell_list(family.without(taken).cells, env)
        assert set(rest) == set(cell_list(have, env)) - set(inside)
    return True


def test_taken_cells_are_a_subset_and_injective() -> None:
    assert accepted(taken_cells_are_a_subset, 300) >= 70


def contract_claims_are_disjoint(seed: int) -> bool:
    """Whether a contract with random claims is accepted. If so, claims are injective, and two with a full share disjoint."""
    r = Random(seed)
    facts = random_facts(r)
    claims = tuple(CellClaim(random_cells(r), SOME, None, r.choice([FULL, FULL, READ])) for _ in range(r.randint(1, 2)))
    kernel = kernel_for((), claims, requires=facts.assumptions)
    inverses = []
    for c in claims:
        x = FRESH.temporaries(1)
        inverse = invert(c.cells, x, Facts(), FRESH)
        inverses.append(tuple(k.abstract(t, x) for t in inverse) if inverse else (ZERO,) * c.cells.arity)
    try:
        state = kernel.begin("f", tuple(inverses))
    except Rejected:
        return False
    for env in small_models(state.facts):
        for c in claims:
            assert c.share == READ or is_injective(c.cells, env)
        if len(claims) == 2 and FULL in (claims[0].share, claims[1].share):
            assert not set(cell_list(claims[0].cells, env)) & set(cell_list(claims[1].cells, env))
    return True


def test_claims_of_a_contract_are_injective_and_disjoint() -> None:
    assert accepted(contract_claims_are_disjoint, 200) >= 90


# Straight-line code


def test_load_and_store_need_the_cell() -> None:
    t = k.var("t", REAL)
    code: kc.Instructions = (
        kc.LoadCell(t, kc.CellAddress("a", (m,))),
        kc.StoreCell(kc.CellAddress("a", (m,)), k.add(t, k.num(1, REAL))),
    )
    kernel, state = begin(code, (k.le(ZERO, m), k.lt(m, n)))
    after = kernel.store(kernel.load(state, 1, (m,)), 1, (m,))
    for env in small_models(after.facts):
        before, now = contents(state.held[1], env), contents(after.held[1], env)
        assert now == {**before, (env["m"],): before[(env["m"],)] + 1}
    for facts in ((k.le(ZERO, m),), (k.lt(m, n),), (k.le(ZERO, m), k.le(m, n))):
        kernel, state = begin(code, facts)
        assert isinstance(rejected(kernel.load, state, 1, (m,)), MissingPermission)
    kernel, state = begin(code, (k.le(ZERO, m), k.lt(m, n)))
    assert isinstance(rejected(kernel.load, state, 1, (ZERO,)), MissingPermission)
    assert isinstance(rejected(kernel.load, state, 2, (m,)), MissingPermission)


def test_reading_shares_cannot_be_written_and_unwritten_cells_cannot_be_read() -> None:
    inside = (k.le(ZERO, m), k.lt(m, n))
    store: kc.Instructions = (kc.StoreCell(kc.CellAddress("a", (m,)), k.num(1, REAL)),)
    kernel, state = begin(store, inside, (replace(ARRAY, share=READ),))
    assert isinstance(rejected(kernel.store, state, 1, (m,)), MissingPermission)
    load: kc.Instructions = (kc.LoadCell(k.var("t", REAL), kc.CellAddress("a", (m,))),)
    kernel, state = begin(load, inside, (CellClaim(ARRAY.cells, UNINIT),))
    assert isinstance(rejected(kernel.load, state, 1, (m,)), Uninitialised)
    kernel, state = begin(load, inside, (CellClaim(ARRAY.cells, SOME),))
    kernel.load(state, 1, (m,))


def test_allocation_and_free() -> None:
    code: kc.Instructions = (kc.Allocate("t", REAL, (n,)), kc.Release("t"))
    kernel, state = begin(code, (k.le(ZERO, n),))
    after = kernel.allocate(state)
    (number,) = after.held.keys() - state.held.keys()
    for env in small_models(after.facts):
        assert contents(after.held[number], env) == {(i,): None for i in range(env["n"])}
    freed = kernel.free(after, number, (I0,))
    assert freed.held.keys() == state.held.keys() and "t" not in freed.bases
    assert isinstance(rejected(begin(code)[0].allocate, begin(code)[1]), NegativeSize)
    assert isinstance(rejected(kernel.free, after, 1, (I0,)), MissingPermission)
    twice: kc.Instructions = (*code, kc.Release("t"))
    kernel, state = begin(twice, (k.le(ZERO, n),))
    once = kernel.free(kernel.allocate(state), number, (I0,))
    assert isinstance(rejected(kernel.free, once, number, (I0,)), NotAllocated)


def test_freeing_needs_every_cell() -> None:
    """A family from which one cell has been taken is not the whole allocation."""
    code: kc.Instructions = (kc.Release("t"),)
    kernel, state = begin((kc.Allocate("t", REAL, (n,)), *code), (k.le(ONE, n),))
    after = kernel.allocate(state)
    number = max(after.held)
    from optigpu.kernel.state import changed

    smaller = changed(after, held={**after.held, number: after.held[number].without(k.eq(I0, ZERO))})
    assert isinstance(rejected(kernel.free, smaller, number, (I0,)), MissingPermission)


def test_rules_follow_the_order_of_the_code() -> None:
    code: kc.Instructions = (kc.Bind(k.var("x", INT), ONE), kc.Oblige(k.FALSE, kc.Obligation.SHIFT))
    kernel, state = begin(code)
    assert isinstance(rejected(kernel.oblige, state), OutOfOrder)
    assert isinstance(rejected(kernel.finish, state, (), ()), OutOfOrder)
    assert rejected(kernel.oblige, kernel.let(state)).reason == "shift"


# Contents


def test_tidying_keeps_contents_where_cells_are_every_other_one() -> None:
    """Facts about a cell (2 divides its index) are solved with a quotient, which must not get into the family."""
    even = make_cells(
        "a", ((k.var("i", INT), ZERO, n),), k.eq(k.fmod(k.var("i", INT), k.num(2)), ZERO), (k.var("i", INT),)
    )
    kernel, state = begin((), (), (CellClaim(even, KNOWN, k.app(A, I0)),))
    after = kernel.tidy(state, 1)
    assert not any(x.data.divisors or x.data.origin is Origin.ARBITRARY for x in after.held[1].value.free)
    for env in small_models(after.facts):
        assert contents(after.held[1], env) == contents(state.held[1], env)


# Branches


def test_after_a_branch_contents_depend_on_the_condition() -> None:
    code: kc.Instructions = (
        kc.Branch(k.lt(m, ZERO), (kc.StoreCell(kc.CellAddress("a", (ZERO,)), k.num(5, REAL)),), ()),
    )
    kernel, state = begin(code, (k.le(ONE, n),))
    yes, no = kernel.enter_if(state)
    after = kernel.join_if(kernel.store(yes, 1, (ZERO,)), no)
    for env in small_models(after.facts):
        before = contents(state.held[1], env)
        assert contents(after.held[1], env) == ({**before, (0,): 5} if env["m"] < 0 else before)


def test_branches_are_joined_with_their_own_other_branch() -> None:
    code: kc.Instructions = (kc.Branch(k.lt(m, ZERO), (), ()),)
    kernel, state = begin(code)
    yes, no = kernel.enter_if(state)
    other_yes, other_no = kernel.enter_if(kernel.begin("f", ((I0,),)))
    again_yes, again_no = kernel.enter_if(state)
    kernel.join_if(yes, no)
    kernel.join_if(yes, again_no)  # the same branch, entered once more
    for one, other in ((yes, yes), (no, no), (yes, again_yes), (again_no, no)):
        rejected(kernel.join_if, one, other)
    rejected(kernel.join_if, yes, other_no)
    rejected(kernel.join_if, other_yes, no)


def test_branches_must_hold_the_same() -> None:
    allocate = (kc.Allocate("t", REAL, (n,)),)
    kernel, state = begin((kc.Branch(k.lt(m, ZERO), allocate, ()),), (k.le(ZERO, n),))
    yes, no = kernel.enter_if(state)
    assert isinstance(rejected(kernel.join_if, kernel.allocate(yes), no), DifferentBranches)


# Loops


def iterations_are_those_of_c(seed: int) -> bool:
    """Whether a random loop has an iteration; in any case its iterations and its last index are those of C."""
    r = Random(seed)
    up = r.random() < 0.5
    relation = r.choice(["<", "<="] if up else [">", ">="])
    start, bound, step = r.randint(-4, 6), r.randint(-4, 6), r.randint(1, 3)
    loop = kc.CountedLoop(k.var("i", INT), n, relation, m, "+" if up else "-", k.num(step), ())
    range_ = iterations(loop, n, m, k.num(step))
    env = {"n": start, "m": bound}
    low, high = evaluate(range_.low, env), evaluate(range_.high, env)
    values = [evaluate(range_.index, env, (v,)) for v in range(low, high)]
    expected, i = [], start
    while {"<": i < bound, "<=": i <= bound, ">": i > bound, ">=": i >= bound}[relation]:
        expected.append(i)
        i += step if up else -step
    assert values == expected
    assert evaluate(range_.index, env, (evaluate(range_.end, env),)) == i
    return bool(expected)


def test_iterations_are_those_of_c() -> None:
    assert accepted(iterations_are_those_of_c, 300) >= 140


@pytest.mark.parametrize("op", ["+", "-"])
@pytest.mark.parametrize("relation", ["<", "<=", ">", ">="])
@pytest.mark.parametrize("step", [ONE, k.num(2), ZERO, k.num(-1), m])
def test_a_loop_counts_towards_its_bound_by_a_positive_step(op: str, relation: str, step: Term) -> None:
    """`for (i = n; i > m; i++)` would otherwise have the iterations of one that counts down."""
    loop = kc.CountedLoop(k.var("i", INT), n, relation, m, op, step, ())
    kernel, state = begin((loop,), (k.le(ZERO, n),))
    if (op == "+") != (relation in ("<", "<=")):
        assert isinstance(rejected(kernel.enter_loop, state, LoopContract()), NotCounting)
    elif k.lt(ZERO, step) is not TRUE:
        assert isinstance(rejected(kernel.enter_loop, state, LoopContract()), StepNotPositive)
    else:
        kernel.leave_loop(kernel.enter_loop(state, LoopContract()), (), ())


@pytest.mark.parametrize(("relation", "op", "step"), [("<", "-", 1), (">", "+", 1), ("<", "+", 0), (">", "-", -1)])
def test_a_loop_that_does_not_end_is_not_unrolled(relation: str, op: str, step: int) -> None:
    start, bound = (ZERO, k.num(4)) if relation == "<" else (k.num(4), ZERO)
    loop = kc.CountedLoop(k.var("i", INT), start, relation, bound, op, k.num(step), ())
    kernel, state = begin((loop,))
    assert isinstance(rejected(kernel.unroll, state), EndlessLoop)


LOOP = kc.CountedLoop(
    k.var("i", INT), ZERO, "<", n, "+", ONE, (kc.StoreCell(kc.CellAddress("a", (k.var("i", INT),)), k.num(3, REAL)),)
)


def each(index: Term, value: Term, back: Term = I0, init: Term = TRUE) -> Exclusive:
    return Exclusive(1, Cells("a", ((ZERO, n),), TRUE, (index,)), (index,), (back,), init, value)


def run_loop(
    loop: kc.CountedLoop, contract: LoopContract, at: Any, requires: tuple[Term, ...] = ()
) -> tuple[State, State]:
    kernel, state = begin((loop,), requires)
    body = kernel.enter_loop(state, contract)
    number, where = at(body)
    end = kernel.store(body, number, where)
    return state, kernel.leave_loop(end, tuple(() for _ in contract.exclusive), tuple(() for _ in contract.invariant))


def own_cell(body: State) -> tuple[int, tuple[Term, ...]]:
    return max(n for n, f in body.held.items() if f.share == FULL), ()


def test_each_iteration_writes_its_own_cell() -> None:
    state, after = run_loop(LOOP, LoopContract((each(I0, k.num(3, REAL)),)), own_cell)
    for env in small_models(after.facts):
        assert contents(after.held[1], env) == dict.fromkeys(contents(state.held[1], env), 3)


@pytest.mark.parametrize(
    ("contract", "why"),
    [
        (LoopContract((each(I0, k.num(4, REAL)),)), "value"),
        (LoopContract((each(ZERO, k.num(3, REAL)),)), "overlap"),
        (LoopContract((each(k.add(I0, ONE), k.num(3, REAL), k.sub(I0, ONE)),)), "permission"),
        (LoopContract((each(I0, k.num(3, REAL)), each(I0, k.num(3, REAL)))), "permission"),
        (LoopContract(), "permission"),
        (LoopContract((), (Invariant(1, TRUE, k.app(A, k.add(I0, ONE))),)), "value"),
    ],
)
def test_wrong_loop_contracts_are_rejected(contract: LoopContract, why: str) -> None:
    def at(body: State) -> tuple[int, tuple[Term, ...]]:
        full = [number for number, f in body.held.items() if f.share == FULL]
        number = max(full) if full else 1
        return number, () if body.held[number].cells.arity == 0 else (k.rule_var("i", 1000, INT),)

    assert rejected(run_loop, LOOP, contract, at).reason == why


def test_a_contract_may_not_name_what_the_loop_will_introduce() -> None:
    kernel, state = begin((LOOP,))
    future = each(I0, k.to_real(state.iteration(k.var("i", INT))))
    assert isinstance(rejected(kernel.enter_loop, state, LoopContract((future,))), OutOfOrder)


def test_parallel_loops_have_no_invariants_and_their_bodies_write_nothing_else() -> None:
    parallel = replace(LOOP, mode=kc.PARALLEL)
    invariant = LoopContract((), (Invariant(1, TRUE, k.app(A, I0)),))
    kernel, state = begin((parallel,))
    assert isinstance(rejected(kernel.enter_loop, state, invariant), DependentIterations)
    assert isinstance(rejected(kernel.enter_loop, state, LoopContract((), (), (k.lt(I0, ZERO),))), BrokenInvariant)
    body = kernel.enter_loop(state, LoopContract((each(I0, k.num(3, REAL)),)))
    assert [f.share for f in body.held.values()].count(FULL) == 1


def test_an_invariant_holds_at_the_first_iteration_not_taken() -> None:
    """x holds i at the start of iteration i: after the loop it holds max(0, n), also for negative n."""
    x = kc.CellAddress("x", ())
    code: kc.Instructions = (
        kc.Allocate("x", INT, (), heap=False),
        kc.StoreCell(x, ZERO),
        kc.CountedLoop(k.var("i", INT), ZERO, "<", n, "+", ONE, (kc.StoreCell(x, k.add(k.var("i", INT), ONE)),)),
    )
    kernel, state = begin(code)
    state = kernel.store(kernel.allocate(state), 2, ())
    after = kernel.leave_loop(
        kernel.store(kernel.enter_loop(state, LoopContract((), (Invariant(2, TRUE, I0),))), 2, ()), (), ((),)
    )
    for env in small_models(after.facts):
        assert contents(after.held[2], env) == {(): max(0, env["n"])}
    high = Invariant(2, TRUE, k.ite(k.eq(I0, ZERO), ZERO, I0))
    kernel.enter_loop(state, LoopContract((), (high,)))
    wrong = Invariant(2, TRUE, n)
    assert isinstance(rejected(kernel.enter_loop, state, LoopContract((), (wrong,))), WrongValue)


def test_a_loop_must_give_back_and_leak_nothing() -> None:
    leaky = replace(LOOP, body=(kc.Allocate("t", REAL, (n,)),))
    kernel, state = begin((leaky,), (k.le(ZERO, n),))
    end = kernel.allocate(kernel.enter_loop(state, LoopContract()))
    assert isinstance(rejected(kernel.leave_loop, end, (), ()), Leak)


def test_unrolling_known_numbers() -> None:
    for op, start, relation, bound, amount, expected in (
        ("+", 0, "<", 5, 2, [0, 2, 4]),
        ("-", 3, ">=", 0, 1, [3, 2, 1, 0]),
        (">>", 8, ">", 0, 1, [8, 4, 2, 1]),
        ("*", 1, "<", 10, 3, [1, 3, 9]),
    ):
        loop = kc.CountedLoop(k.var("i", INT), k.num(start), relation, k.num(bound), op, k.num(amount), ())
        kernel, state = begin((loop,))
        after = kernel.unroll(state)
        assert [i.value.data for i in after.code if isinstance(i, kc.Bind)] == expected
    for op, start, amount in ((">>", 8, 0), ("*", 0, 2), ("+", 0, 0)):
        relation = ">" if op == ">>" else "<"
        loop = kc.CountedLoop(
            k.var("i", INT), k.num(start), relation, k.num(0 if op == ">>" else 5), op, k.num(amount), ()
        )
        kernel, state = begin((loop,))
        assert isinstance(rejected(kernel.unroll, state), EndlessLoop)


# The end of functions


def test_the_end_gives_back_exactly_the_postcondition() -> None:
    take = Take(1, (I0,), (I0,))
    kernel = kernel_for((), post=(ARRAY,))
    kernel.finish(kernel.begin("f", ((I0,),)), (take,), ())
    half = CellClaim(make_cells("a", ((k.var("i", INT), ZERO, m),), TRUE, (k.var("i", INT),)), SOME)
    kernel = kernel_for((), post=(half,), requires=(k.lt(m, n),))
    assert isinstance(rejected(kernel.finish, kernel.begin("f", ((I0,),)), (take,), ()), Leak)
    more = CellClaim(make_cells("a", ((k.var("i", INT), ZERO, k.add(n, ONE)),), TRUE, (k.var("i", INT),)), SOME)
    kernel = kernel_for((), post=(more,))
    assert isinstance(rejected(kernel.finish, kernel.begin("f", ((I0,),)), (take,), ()), MissingPermission)
    kernel = kernel_for((), post=(ARRAY, ARRAY))
    assert isinstance(rejected(kernel.finish, kernel.begin("f", ((I0,),)), (take, take), ()), MissingPermission)
    other = CellClaim(ARRAY.cells, KNOWN, k.num(0, REAL))
    kernel = kernel_for((), post=(other,))
    assert isinstance(rejected(kernel.finish, kernel.begin("f", ((I0,),)), (take,), ()), WrongValue)


def test_binder_helpers() -> None:
    assert arguments(2) == (I1, I0)
    assert invert(ARRAY.cells, (m,), Facts(), FRESH) == (m,)
