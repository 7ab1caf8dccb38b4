"""Every public rule of the kernel beside the finite model of permissions (tests/support/model.py), on random programs.

Sizes are symbolic for the kernel and small numbers for the model: negative, 0, 1 and more. Cells have strides, are reversed,
overlap, or are grouped in two ways; threads are grouped in different ways, too. What the kernel accepts must be so in the model,
for all numbers; what it rejects says nothing, so MODELS also says how often each rule is accepted at least. A rule without a model
fails `test_rule`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from itertools import product
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from optigpu.kernel import Rejected, State
from optigpu.kernel import instructions as kc
from optigpu.kernel.context import PendingRead
from optigpu.kernel.iterations import IterationRange
from optigpu.kernel.ledger import LedgerEntries
from optigpu.kernel.loop_contract import Cover, Exclusive, Invariant, LoopContract
from optigpu.kernel.loop_rules import range_of
from optigpu.kernel.sealed import RULES
from optigpu.kernel.side_conditions import Take
from optigpu.kernel.state import changed
from optigpu.logic import terms as k
from optigpu.logic.cells import FULL, KNOWN, READ, SOME, UNINIT, CellClaim, Cells, Owner, Terms, arguments, box
from optigpu.logic.judge import ObligationJudge
from optigpu.logic.terms import FALSE, INT, ONE, REAL, TRUE, ZERO, Term
from optigpu.search.fresh_names import FreshNames
from optigpu.search.inverse import invert
from optigpu.solver.z3_solver import Z3Solver
from tests.support.model import Memory, Misbehaved, Permissions, binders, cell_of, must_allow, permissions
from tests.support.open_kernel import OpenKernel as Kernel
from tests.support.open_kernel import entered_loop
from tests.support.terms import evaluate

pytestmark = pytest.mark.hypothesis

n, m, i = k.var("n", INT), k.var("m", INT), k.var("i", INT)
A = k.var("A", k.fun_sort((INT,), REAL))
B0, B1, TWO, NINE = k.bound(0, INT), k.bound(1, INT), k.num(2), k.num(9, REAL)
CONTENT = k.app(A, B0)
SMALL = range(-2, 6)
FRESH = FreshNames()


def initial(j: int) -> int:
    return j * 7 % 5 + 1


class Counting(Kernel):
    """The kernel, with a count of how often each rule has accepted something."""

    def __init__(self, *functions: kc.Procedure) -> None:
        super().__init__(ObligationJudge(Z3Solver()), kc.KernelProgram({f.name: f for f in functions}), LedgerEntries())
        self.accepted = Counter[str]()

    def range_of(self, state: State, loop: kc.CountedLoop) -> IterationRange:
        """A part of `enter_loop` that has a model of its own."""
        return range_of(self.conditions, state, loop)

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        if name.startswith("_") or not callable(found):
            return found

        def counted(*args: Any) -> Any:
            result = found(*args)
            self.accepted[name] += 1
            return result

        return counted


FACTS = [
    k.le(ZERO, n), k.le(ZERO, m), k.lt(m, n), k.le(m, n), k.lt(ZERO, n), k.eq(n, k.scale(2, m)), k.le(TWO, n),
    k.eq(k.fmod(n, TWO), ZERO), k.eq(n, k.num(3)),
]  # fmt: skip
Made = tuple[Counting, State, list[Memory]]


def random_facts(r: Random, *more: Term) -> tuple[Term, ...]:
    return (*more, *r.sample(FACTS, r.randint(1, 4)))


def memories(facts: tuple[Term, ...], claims: tuple[CellClaim, ...]) -> list[Memory]:
    """A run for each choice of small numbers for which the facts hold, with what the claims say of its arrays."""
    out = []
    for x, y in product(SMALL, SMALL):
        env: dict[str, Any] = {"n": x, "m": y, "A": initial}
        if all(evaluate(f, env) for f in facts):
            cells: dict[Any, Any] = {}
            for c in claims:
                for b in binders(c.cells, env):
                    at = cell_of(c.cells, b, env)
                    known = 1 if c.value is None else evaluate(c.value, env, b)
                    cells[c.cells.base, at] = None if c.contents == UNINIT else known
            out.append(Memory(env, cells))
    return out


def function(
    code: kc.Instructions,
    facts: tuple[Term, ...],
    pre: tuple[CellClaim, ...],
    post: tuple[CellClaim, ...] = (),
    space: str = "Any",
) -> kc.Procedure:
    params = (kc.Parameter("n", INT), kc.Parameter("m", INT), kc.Parameter("a", REAL, (n,), space))
    return kc.Procedure("f", params, kc.ProcedureContract((), facts, pre, post, ()), code)


def begun(
    r: Random, code: kc.Instructions, facts: tuple[Term, ...], post: tuple[CellClaim, ...] = (), init: str = KNOWN
) -> Made:
    claim = CellClaim(box("a", (n,)), init, CONTENT if init == KNOWN else None)
    kernel = Counting(function(code, facts, (claim,), post))
    return kernel, kernel.begin("f", ((B0,),)), memories(facts, (claim,))


def compare(state: State, runs: list[Memory]) -> None:
    for run in runs:
        said = permissions(state, run.env)
        must_allow(said, Permissions(full=run.cells, lent=run.cells) if not said.full else Permissions(full=run.cells))


# Sets of cells, and maps between them


def random_cells(r: Random, base: str = "a") -> Cells:
    """Strides, reversed, overlapping, regrouped, negative extents, holes."""
    where = r.choice([TRUE, TRUE, TRUE, k.lt(B0, m), k.eq(k.fmod(B0, TWO), ZERO), k.not_(k.eq(B0, m))])
    if r.random() < 0.3:
        inner = r.choice([TWO, k.num(3), m])
        index = r.choice([k.add(k.mul(inner, B1), B0), k.add(k.mul(inner, B1), B0), k.add(B1, B0)])
        return Cells(base, ((ZERO, r.choice([m, k.fdiv(n, TWO), k.num(2)])), (ZERO, inner)), TRUE, (index,))
    low, high = (
        r.choice([ZERO, ZERO, ZERO, ONE, m, k.num(-1)]),
        r.choice([n, n, n, m, k.fdiv(n, TWO), k.num(3), k.sub(n, m)]),
    )
    turned = k.sub(k.sub(n, ONE), B0)
    index = r.choice([B0, B0, B0, turned, turned, k.scale(2, B0), k.add(B0, ONE), k.fdiv(B0, TWO), ZERO, k.neg(B0)])
    return Cells(base, ((low, high),), where, (index,))


def random_claim(r: Random, base: str = "a") -> CellClaim:
    cells = box(base, (n,)) if r.random() < 0.3 else random_cells(r, base)
    contents = r.choice([UNINIT, SOME, SOME, KNOWN, KNOWN])
    value = r.choice([NINE, k.app(A, cells.index[0]), k.app(A, cells.index[0])]) if contents == KNOWN else None
    return CellClaim(cells, contents, value, r.choice([FULL, FULL, FULL, READ]))


def mapping(r: Random, have: Cells, need: Cells, state: State) -> Terms:
    """Where the needed cells are among others, as far as it is found; sometimes another map."""
    xs = FRESH.temporaries(need.arity)
    found = invert(have, need.at(xs), state.facts.assume(need.domain(xs)), FRESH)
    if found is None or r.random() < 0.1:
        found = tuple(r.choice([ZERO, m, *xs]) for _ in range(have.arity))
    return tuple(k.abstract(t, xs) for t in found)


def random_take(r: Random, state: State, claim: CellClaim) -> Take:
    number = r.choice([f for f, x in state.held.items() if x.cells.base == claim.cells.base] or [1])
    have = state.held[number].cells
    return Take(number, mapping(r, have, claim.cells, state), mapping(r, claim.cells, have, state))


# The beginning and the end of functions


def contracts(r: Random) -> Counter[str]:
    """What `begin` accepts is a set of claims that some heap fulfils, inside of the array; `finish`: which this one does."""
    facts = random_facts(r, k.le(ZERO, n))
    pre = tuple(replace(random_claim(r), value=None, contents=r.choice([SOME, UNINIT])) for _ in range(r.randint(1, 2)))
    post = tuple(r.choice(pre) if r.random() < 0.6 else random_claim(r) for _ in range(r.randint(0, 2)))
    if r.random() < 0.4:
        post = pre[::-1]
    kernel = Counting(function((), facts, pre, post))
    inverses = []
    for c in pre:
        x = FRESH.temporaries(1)
        found = invert(c.cells, x, kernel.judge.root, FRESH)
        inverses.append(tuple(k.abstract(t, x) for t in found) if found else (B0,) * c.cells.arity)
    try:
        state = kernel.begin("f", tuple(inverses))
    except Rejected:
        return kernel.accepted
    runs = memories(facts, pre)
    for run in runs:
        assert all(0 <= at < run.env["n"] for _, (at,) in run.cells)
        full = run.claimed(pre)
        assert permissions(state, run.env).full.keys() == full
    try:
        kernel.finish(state, tuple(random_take(r, state, c) for c in post), ())
    except Rejected:
        return kernel.accepted
    for run in runs:
        assert run.claimed(pre) <= run.claimed(post), (facts, pre, post)  # nothing is left over
    return kernel.accepted


# Straight-line code


def random_value(r: Random, known: tuple[Term, ...]) -> Term:
    return r.choice([NINE, k.to_real(m), k.app(A, m), *known])


def random_place(r: Random, arrays: tuple[str, ...]) -> kc.CellAddress:
    index = r.choice([ZERO, m, k.sub(n, ONE), k.sub(k.sub(n, ONE), m), ONE, k.fdiv(n, TWO), k.neg(m)])
    return kc.CellAddress(r.choice(arrays), (index,))


def random_prop(r: Random) -> Term:
    return r.choice(
        [
            k.le(ZERO, m),
            k.lt(m, n),
            k.le(m, k.fdiv(n, TWO)),
            k.not_(k.eq(m, n)),
            k.lt(ZERO, k.mul(n, m)),
            k.le(ZERO, k.mul(m, m)),
        ]
    )


def random_ghost(r: Random) -> kc.GhostStep:
    pre, post = (tuple(random_claim(r) for _ in range(r.randint(0, 2))) for _ in range(2))
    return kc.GhostStep("g", (random_prop(r),) * r.randint(0, 1), pre, post, (random_prop(r),) * r.randint(0, 1))


def random_code(
    r: Random, depth: int, arrays: tuple[str, ...] = ("a",), known: tuple[Term, ...] = ()
) -> kc.Instructions:
    """A variable is used only where it has been set on every way; what is allocated is freed at the end, as a rule."""
    out: list[kc.Instruction] = []
    for _ in range(r.randint(1, 3)):
        match r.choice(
            ["store"] * 3
            + ["load"] * 2
            + ["let", "oblige", "assert", "ghost", "if", "allocate", "allocate"]
            + ["unroll"] * 3
        ):
            case "store":
                out.append(kc.StoreCell(random_place(r, arrays), random_value(r, known)))
            case "load" | "let" as kind:
                x = k.var(r.choice("xyz"), REAL)
                load = kc.LoadCell(x, random_place(r, arrays))
                out.append(load if kind == "load" else kc.Bind(x, random_value(r, known)))
                known = (*known, x)
            case "oblige":
                out.append(kc.Oblige(random_prop(r), kc.Obligation.DIVISION))
            case "assert":
                out.append(kc.Assertion(random_prop(r)))
            case "ghost":
                out.append(random_ghost(r))
            case "if" if depth:
                out.append(kc.Branch(random_prop(r), *(random_code(r, depth - 1, arrays, known) for _ in range(2))))
            case "unroll" if depth:
                body = (kc.StoreCell(kc.CellAddress(r.choice(arrays), (r.choice([i, k.sub(i, m)]),)), k.to_real(i)),)
                start, bound, step = (k.num(r.choice(ends)) for ends in ((-1, 0, 0, 1), (-1, 1, 2, 3), (0, 1, 1, 2)))
                mode = r.choice([kc.SEQUENTIAL] * 3 + [kc.PARALLEL])
                out.append(kc.CountedLoop(i, start, r.choice(["<", "<="]), r.choice([bound, n]), "+", step, body, mode))
            case "allocate" if depth:
                name = f"t{depth}"
                size = r.choice([n, n, n, m, k.num(2), k.sub(n, m), k.num(-1), ZERO])
                inner = random_code(r, depth - 1, (*arrays, name), known)
                out += [kc.Allocate(name, REAL, (size,)), *inner, *([kc.Release(name)] if r.random() < 0.8 else [])]
    return tuple(out)


def executed(r: Random, kernel: Counting, state: State, runs: list[Memory]) -> State:
    """Code by the rules, and the same code run: a step that the kernel accepts does not fail in any run."""
    while state.code:
        instr = state.code[0]
        match instr:
            case kc.Branch(test):
                yes, no = kernel.enter_if(state)
                ways = [run.value(test) for run in runs]
                yes = executed(r, kernel, yes, [run for run, way in zip(runs, ways) if way])
                no = executed(r, kernel, no, [run for run, way in zip(runs, ways) if not way])
                state = kernel.join_if(yes, no)
            case kc.CountedLoop():
                before, state = state.code, kernel.unroll(state)
                for run in runs:
                    expected = [kc.Bind(instr.index, k.num(v)) for v in counted(instr, run.env)]
                    added = state.code[: len(state.code) - len(before) + 1]
                    assert [j for j in added if isinstance(j, kc.Bind)] == expected
            case _:
                state = by_rule(r, kernel, state, instr)
                for run in runs:
                    run.step(instr)
        compare(state, runs)
        state = rewritten(r, kernel, state)
        compare(state, runs)
    return state


def by_rule(r: Random, kernel: Counting, state: State, instr: kc.Instruction) -> State:
    match instr:
        case kc.LoadCell(_, place) | kc.StoreCell(place):
            number = next((f for f, x in state.held.items() if x.cells.base == place.base), 1)
            rule = kernel.load if isinstance(instr, kc.LoadCell) else kernel.store
            return rule(state, number, state.values(place.index) if r.random() < 0.95 else (ZERO,))
        case kc.Release(base):
            number = next((f for f, x in state.held.items() if x.cells.base == base), 1)
            return kernel.free(state, number, (B0,))
        case kc.GhostStep():
            takes = tuple(random_take(r, state, c) for c in (*instr.pre, *instr.post))
            return kernel.ghost(state, takes, ((),) * len(instr.ensures))
        case kc.Assertion():
            return kernel.assertion(state, ())
        case _:
            rules = {kc.Bind: kernel.let, kc.Allocate: kernel.allocate, kc.Oblige: kernel.oblige}
            return rules[type(instr)](state)


def rewritten(r: Random, kernel: Counting, state: State) -> State:
    """The same contents, said in another way, or tried to be."""
    number = r.choice(list(state.held))
    if r.random() < 0.3:
        return kernel.tidy(state, number)
    if r.random() < 0.6:
        return state
    known = r.choice([TRUE, FALSE, k.lt(B0, m), k.not_(k.eq(B0, ZERO))])
    value = r.choice([state.held[number].value, CONTENT, NINE])
    try:
        return kernel.restate(state, number, known, value, ())
    except Rejected:
        return state


def straight(r: Random) -> Counter[str]:
    """Loads, stores, allocations, branches, proof steps, unrolled loops: contents after each step are those of a run."""
    facts = random_facts(r, k.le(ZERO, m), k.lt(m, n))
    kernel, state, runs = begun(r, random_code(r, 2), facts, init=r.choice([KNOWN, KNOWN, UNINIT]))
    with suppress(Rejected):
        executed(r, kernel, state, runs)
    return kernel.accepted


# Machine integers


def machine_code(r: Random, known: tuple[Term, ...]) -> kc.Instructions:
    """Computations modulo 2^bits, unknown numbers, and a cell `c` of a small type."""
    out: list[kc.Instruction] = []
    for number in range(r.randint(2, 6)):
        x, y = k.var(f"x{number}", INT), r.choice(known)
        value = r.choice([y, k.add(y, ONE), k.sub(y, m), k.mul(y, TWO), k.num(3), k.max_(y, ZERO), k.fmod(y, k.num(4))])
        match r.choice(["let", "wrap", "choose", "store", "store", "load"]):
            case "let":
                out.append(kc.Bind(x, value))
            case "wrap":
                out.append(kc.Bind(x, value, r.choice([1, 2, 3])))
            case "choose":
                out.append(kc.Havoc(x, r.choice([None, (-2, 3), (0, 1)])))
            case "store":
                out.append(kc.StoreCell(kc.CellAddress("c", ()), value))
                continue
            case _:
                out.append(kc.LoadCell(x, kc.CellAddress("c", ())))
        known = (*known, x)
    return tuple(out)


def machine(r: Random) -> Counter[str]:
    """What is stored is a number of its type in every run, what is known of it is true, and unsigned numbers wrap."""
    limits = r.choice([(-4, 3), (0, 7), (0, 3), (-128, 127)])
    code = (
        kc.Allocate("c", INT, (), heap=False, limits=limits),
        kc.StoreCell(kc.CellAddress("c", ()), ZERO),
        *machine_code(r, (n, m)),
    )
    facts = random_facts(r, k.le(ZERO, m), k.le(m, k.num(2)), k.le(n, k.num(3)))
    kernel = Counting(function(code, facts, ()))
    state = kernel.begin("f", ())
    runs = [run.env for run in memories(facts, ())]
    with suppress(Rejected):
        while state.code:
            instr = state.code[0]
            number = next(iter(state.held), 0)
            match instr:
                case kc.Havoc(x, bounds):
                    state = kernel.choose(state)
                    fresh = str(state.env[x].data)
                    assert all(fresh not in env for env in runs)  # nothing was known of it
                    low, high = bounds or (-9, 9)
                    runs = [{**env, str(x.data): v, fresh: v} for env in runs for v in {low, 0, high}]
                case kc.Bind(x, value, bits):
                    state = kernel.let(state)
                    for env in runs:
                        v = evaluate(value, env)
                        env[str(x.data)] = v % 2**bits if bits else v
                case kc.StoreCell(_, value):
                    state = kernel.store(state, number, ())
                    for env in runs:
                        env["c"] = evaluate(value, env)
                        assert limits[0] <= env["c"] <= limits[1]
                case kc.LoadCell(x):
                    state = kernel.load(state, number, ())
                    for env in runs:
                        env[str(x.data)] = env["c"]
                case _:
                    state = kernel.allocate(state)
            for env in runs:
                assert all(evaluate(f, env) for f in state.facts.assumptions), (code, env)
                assert all(evaluate(t, env) == env[str(x.data)] for x, t in state.env.items())
    return kernel.accepted


# Loops


def counted(loop: kc.CountedLoop, env: dict[str, Any]) -> list[int]:
    """The values of the index, as C counts."""
    v, bound, step = (evaluate(t, env) for t in (loop.start, loop.bound, loop.amount))
    out = []
    while {"<": v < bound, "<=": v <= bound, ">": v > bound, ">=": v >= bound}[loop.relation]:
        if step <= 0:
            raise Misbehaved("endless")
        out.append(v)
        v += step if loop.op == "+" else -step
    return out


def random_loop(r: Random) -> tuple[kc.CountedLoop, Term]:
    """A loop that writes a cell in each iteration, and the cell."""
    up = r.random() < 0.6
    low, high = r.choice([ZERO, ZERO, ONE, k.num(-1), m]), r.choice([n, n, m, k.sub(n, ONE), k.fdiv(n, TWO), k.num(3)])
    relation = r.choice(["<", "<", "<="] if up else [">", ">=", ">="])
    start, bound = (low, high) if up else (k.sub(high, ONE), low)
    turned = k.sub(k.sub(n, ONE), i)
    index = r.choice([i, i, i, turned, k.scale(2, i), k.add(i, ONE), k.fdiv(i, TWO), k.fmod(i, TWO), ZERO, k.sub(i, m)])
    body = (kc.StoreCell(kc.CellAddress("a", (index,)), r.choice([NINE, k.to_real(i), k.app(A, k.add(i, m))])),)
    mode = r.choice([kc.SEQUENTIAL, kc.PARALLEL])
    return kc.CountedLoop(
        i, start, relation, bound, "+" if up else "-", k.num(r.choice([1, 1, 2, 3])), body, mode
    ), index


def exclusive(r: Random, state: State, range_: IterationRange, index: Term, value: Term) -> LoopContract:
    """Each iteration has the cell that it writes."""
    under = k.instantiate(k.abstract(index, (i,)), (range_.index,))
    cells = Cells("a", ((range_.low, range_.high),), TRUE, (under,))
    have = state.held[1].cells
    now = k.instantiate(k.abstract(value, (i,)), (range_.index,))
    return LoopContract(
        (Exclusive(1, cells, mapping(r, have, cells, state), mapping(r, cells, have, state), TRUE, now),)
    )


def invariant(range_: IterationRange, index: Term, value: Term) -> LoopContract:
    """After v iterations, the cells of those below v have been written; true of loops that go through all cells in turn."""
    done = k.lt(B0, k.instantiate(range_.index, (B1,)))
    new = k.instantiate(k.abstract(value, (i,)), (B0,))
    return LoopContract((), (Invariant(1, TRUE, k.ite(done, new, CONTENT)),))


def loops(r: Random) -> Counter[str]:
    """After a loop: what running it leaves. In it: what the iteration may write, and what the others have is only lent."""
    facts = random_facts(r)
    loop, index = random_loop(r)
    store = loop.body[0]
    assert isinstance(store, kc.StoreCell)
    alone = r.random() < 0.6
    kernel, state, runs = begun(r, (loop,), facts, init=r.choice([KNOWN, UNINIT]) if alone else KNOWN)
    try:
        range_ = kernel.range_of(state, loop)
        for run in runs:
            vs = range(evaluate(range_.low, run.env), evaluate(range_.high, run.env))
            assert [evaluate(range_.index, run.env, (v,)) for v in vs] == counted(loop, run.env)
        if alone:
            contract = exclusive(r, state, range_, index, store.value)
        else:
            contract = invariant(range_, index, store.value)
        body = kernel.enter_loop(state, contract)
        if alone:
            check_body(body, loop, index, runs, alone)
        number = next(f for f, x in body.held.items() if x.share == FULL)
        end = kernel.store(body, number, () if alone else body.values((index,)))
        after = kernel.leave_loop(end, ((),) if alone else (), () if alone else ((),))
    except Rejected:
        return kernel.accepted
    check_body(body, loop, index, runs, alone)  # of an invariant only now, since it has been proved to be one
    for run in runs:
        for v in counted(loop, run.env):
            run.env["i"] = v
            run.step(store)
    compare(after, runs)
    return kernel.accepted


def check_body(body: State, loop: kc.CountedLoop, index: Term, runs: list[Memory], alone: bool) -> None:
    """In iteration v, an array is held as the iterations before it leave it; other iterations do not have its exclusive cell."""
    entered = entered_loop(body)
    for run in runs:
        now = Memory(dict(run.env), dict(run.cells))
        taken = set[Any]()
        low = evaluate(entered.range.low, run.env)
        for count, v in enumerate(counted(loop, run.env)):
            env = {**run.env, str(entered.v.data): low + count}
            said = permissions(body, env)
            if alone:
                (cell,) = said.full
                assert cell == ("a", (evaluate(index, {**run.env, "i": v}),)) and cell not in taken
                taken.add(cell)
                assert said.full.keys() | said.lent.keys() <= run.cells.keys()
            else:
                must_allow(said, Permissions(full=now.cells))
            now.env["i"] = v
            now.step(loop.body[0])


# Calls


def calls(r: Random) -> Counter[str]:
    """g(count, &a[shift]) sets its cells to 7 and gives them back in another order; it may read one more."""
    count, shift = (
        r.choice([n, m, ONE, k.sub(n, m), k.fdiv(n, TWO)]),
        r.choice([ZERO, ZERO, m, ONE, k.sub(n, m), k.num(-1)]),
    )
    other = r.choice([None, ZERO, m, k.add(shift, count)])
    size = k.var("k", INT)
    full, read = CellClaim(box("y", (size,)), SOME), CellClaim(box("z", (ONE,)), SOME, None, READ)
    pre = (full,) if other is None else (full, read)
    params = [kc.Parameter("k", INT), kc.Parameter("y", REAL, (size,)), kc.Parameter("z", REAL, (ONE,))][: 1 + len(pre)]
    turned = k.sub(k.sub(size, ONE), B0)
    order = r.choice([B0, turned])
    post = CellClaim(Cells("y", ((ZERO, size),), TRUE, (order,)), KNOWN, k.to_real(order))
    g = kc.Procedure(
        "g", tuple(params), kc.ProcedureContract((), (k.le(ZERO, size),), pre, (post,), ()), (), admitted=True
    )
    views = (kc.ArrayView("a", (), shift), kc.ArrayView("a", (), other or ZERO))
    facts = random_facts(r)
    code = (kc.Invoke(None, "g", (count, *views[: len(pre)])),)
    claim = CellClaim(box("a", (n,)), KNOWN, CONTENT)
    kernel = Counting(function(code, facts, (claim,)), g)
    state, runs = kernel.begin("f", ((B0,),)), memories(facts, (claim,))
    takes = [Take(1, (k.add(s, B0),), (k.sub(B0, s),)) for s in (shift, other or ZERO)]
    back = k.substitute(turned, {size: count})
    gives = r.choice([(), (Take(1, (k.add(shift, back),), (k.sub(back, k.neg(shift)),)),)])
    try:
        after = kernel.call(state, (), tuple(takes[: len(pre)]), ((),), gives if order is turned else ())
    except Rejected:
        return kernel.accepted
    for run in runs:
        first, many = run.value(shift), run.value(count)
        written = {("a", (first + j,)): j for j in range(many)}
        if many < 0 or not written.keys() <= run.cells.keys():
            raise Misbehaved("outside")
        if other is not None and ("a", (run.value(other),)) not in run.cells.keys() - written.keys():
            raise Misbehaved("read and written, or outside")
        run.cells.update(written)
    compare(after, runs)
    return kernel.accepted


# Launching


def launches(r: Random) -> Counter[str]:
    """A launch is within the limits of a block, phases come in order, and the threads are those of all blocks."""
    facts = random_facts(r, *r.sample([k.le(ONE, m), k.le(m, k.num(1024)), k.le(n, k.num(1024)), k.le(ZERO, n)], 3))
    grid, block, shared = (
        r.choice([n, m, k.num(2), k.num(-1), ZERO]),
        r.choice([n, m, m, k.num(4), ZERO, k.num(1025)]),
        r.choice([ZERO, m, k.num(64), k.num(-1)]),
    )
    phases = r.choice([["threads", "teardown", "host"]] * 3 + [["teardown"], ["threads", "host"], ["host"]])
    register = kc.Allocate("p", REAL, (), "TReg", False, True, 4)
    inside = (register,) if r.random() < 0.3 else ()
    code: list[kc.Instruction] = [kc.LaunchKernel(grid, block, shared)]
    for to in phases:
        code += [kc.Phase(to), *(inside if to == "threads" else ())]
    kernel, state, runs = begun(r, tuple(code), facts)
    expected = "setup"
    try:
        state = kernel.launch(state)
        for run in runs:
            g, b, s = (run.value(t) for t in (grid, block, shared))
            if g < 0 or not 1 <= b <= 1024 or not 0 <= s <= 227 * 1024:
                raise Misbehaved(f"launched with {g}, {b}, {s}")
        while state.code:
            if isinstance(state.code[0], kc.Allocate):
                state = kernel.allocate(state)
                for run in runs:
                    copies = {c: o for c, o in permissions(state, run.env).owners.items() if c[0] == "p"}
                    assert copies == {("p", (t,)): {t} for t in range(run.value(k.mul(grid, block)))}
                continue
            to = state.code[0].to  # type: ignore[union-attr]
            state = kernel.phase(state)
            assert {"setup": "threads", "threads": "teardown", "teardown": "host"}[expected] == to
            expected = to
            assert not (inside and to == "teardown"), "registers are left"
            for run in runs:
                threads = {"threads": run.value(k.mul(grid, block)), "teardown": 0, "host": 1}[to]
                assert evaluate(state.context.threads, run.env) == threads
    except Rejected:
        return kernel.accepted
    assert expected != "host" or state.context.kind == "host"
    return kernel.accepted


# Threads

GROUPS = {4: [(4,), (2, 2), (1, 4)], 6: [(6,), (2, 3), (3, 2), (6, 1)]}


class Threads:
    """What single threads do in a block: who has written and read which cell since the last barrier."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.writers: dict[int, int] = {}
        self.readers = set[tuple[int, int]]()

    def write(self, thread: int, cell: int) -> None:
        if not 0 <= cell < self.count:
            raise Misbehaved("outside")
        if self.writers.get(cell, thread) != thread or any(c == cell and t != thread for c, t in self.readers):
            raise Misbehaved(f"race on {cell}")
        self.writers[cell] = thread

    def read(self, thread: int, cell: int) -> None:
        if not 0 <= cell < self.count:
            raise Misbehaved("outside")
        if self.writers.get(cell, thread) != thread:
            raise Misbehaved(f"race on {cell}")
        self.readers.add((cell, thread))

    def run(self, phase: Phase, times: int) -> None:
        what, _, index, _, inner = phase
        for thread in range(self.count if what in ("write", "read") else 0):
            (self.write if what == "write" else self.read)(thread, evaluate(index, {}, (thread,)))
        if what == "barrier":
            self.barrier()
        for _ in range(times):
            for one in inner:
                self.run(one, times)

    def barrier(self) -> None:
        self.writers.clear()
        self.readers.clear()

    def permissions(self) -> Permissions:
        everyone = set(range(self.count))
        cells = {("a", (c,)): 1 for c in range(self.count)}
        owners = {("a", (c,)): {self.writers[c]} if c in self.writers else everyone for c in range(self.count)}
        # What its only writer reads needs no mark.
        readers = {(("a", (c,)), t) for c, t in self.readers if self.writers.get(c) != t}
        return Permissions(cells, {}, owners, readers)


def cell_for(r: Random, count: int, thread: Term) -> tuple[Term, Term]:
    """Which cell a thread accesses, and which thread accesses a cell (if that is so)."""
    last = k.num(count - 1)
    moved = k.fmod(k.add(thread, ONE), k.num(count))
    return r.choice(
        [
            (thread, B0),
            (thread, B0),
            (thread, B0),
            (k.sub(last, thread), k.sub(last, B0)),
            (moved, k.fmod(k.add(B0, last), k.num(count))),
            (k.fdiv(thread, TWO), k.scale(2, B0)),
            (k.add(thread, ONE), k.sub(B0, ONE)),
            (ZERO, ZERO),
        ]
    )


def nest(names: tuple[str, ...], extents: tuple[int, ...], *body: kc.Instruction) -> kc.CountedLoop:
    inner = body if len(names) == 1 else (nest(names[1:], extents[1:], *body),)
    return kc.CountedLoop(k.var(names[0], INT), ZERO, "<", k.num(extents[0]), "+", ONE, inner, kc.THREAD)


def thread_number(extents: tuple[int, ...], at: Terms) -> Term:
    number = at[0]
    for e, x in zip(extents[1:], at[1:]):
        number = k.add(k.scale(e, number), x)
    return number


def writing(r: Random, kernel: Counting, state: State, extents: tuple[int, ...], index: Term, back: Term) -> State:
    """Each thread writes a cell; the first loop takes them for all of its part, of its own or (whole) of everyone's."""
    count = len(extents)
    cells = Cells(
        "a",
        tuple((ZERO, k.num(e)) for e in extents),
        TRUE,
        (k.instantiate(index, (thread_number(extents, arguments(count)),)),),
    )
    maps = (back,) if count == 1 else (k.fdiv(back, k.num(extents[1])), k.fmod(back, k.num(extents[1])))
    part = 1 if count == 1 else extents[1]
    whole = r.random() < 0.6 if count == 2 else True
    x = Exclusive(1, cells, cells.index, maps, TRUE, NINE, whole)
    body = kernel.enter_loop(state, LoopContract((x,), part=k.num(part)))
    (number,) = [f for f in body.held if f not in state.held]
    if count == 2:
        own = Exclusive(number, replace(cells.under((entered_loop(body).v,))), (B0,), (B0,), TRUE, NINE)
        inner = kernel.enter_loop(body, LoopContract((own,), part=ONE))
        (deepest,) = [f for f in inner.held if f not in body.held]
        body = kernel.leave_loop(kernel.store(inner, deepest, ()), ((),), ())
    else:
        body = kernel.store(body, number, ())
    return kernel.leave_loop(body, ((),), ())


def reading(kernel: Counting, state: State, extents: tuple[int, ...], index: Term) -> State:
    """Each thread reads a cell."""
    body = kernel.enter_loop(state, LoopContract(part=ONE if len(extents) == 1 else k.num(extents[1])))
    at = [entered_loop(body).v]
    if len(extents) == 2:
        body = kernel.enter_loop(body, LoopContract(part=ONE))
        at.append(entered_loop(body).v)
    place = k.instantiate(index, (thread_number(extents, tuple(at)),))
    for _ in extents:
        body = kernel.leave_loop(kernel.load(body, 1, (place,)) if body.code else body, (), ())
    return body


Phase = tuple[
    str, tuple[int, ...], Term, Term, "list[Phase]"
]  # what, the groups, the cell of a thread, its inverse, what is repeated


def random_phases(r: Random, count: int, depth: int = 1) -> list[Phase]:
    out: list[Phase] = []
    for _ in range(r.randint(2, 4)):
        what = r.choice(["write"] * 3 + ["read"] * 3 + ["barrier"] * 3 + ["repeat"] * depth)
        inner = random_phases(r, count, 0) if what == "repeat" else []
        out.append((what, r.choice(GROUPS[count]), *cell_for(r, count, B0), inner))
    return out


def code_of(phases: list[Phase]) -> kc.Instructions:
    out: list[kc.Instruction] = []
    for what, extents, index, _, inner in phases:
        names = ("p", "q")[: len(extents)]
        place = kc.CellAddress(
            "a", (k.instantiate(index, (thread_number(extents, tuple(k.var(x, INT) for x in names)),)),)
        )
        access = kc.StoreCell(place, NINE) if what == "write" else kc.LoadCell(k.var("x", REAL), place)
        if what == "repeat":
            out.append(kc.CountedLoop(k.var("j", INT), ZERO, "<", m, "+", ONE, code_of(inner)))
        else:
            out.append(kc.Barrier("block") if what == "barrier" else nest(names, extents, access))
    return tuple(out)


def block(r: Random) -> Counter[str]:
    """A block of threads writes, reads and synchronises, grouped in different ways, some of it m times.

    What is accepted has no race, and owners and marks tell all of it.
    """
    count = r.choice(list(GROUPS))
    phases = random_phases(r, count)
    start = (kc.LaunchKernel(ONE, k.num(count), ZERO), kc.Phase("threads"))
    facts = (k.eq(n, k.num(count)),)
    kernel = Counting(function((*start, *code_of(phases)), facts, (CellClaim(box("a", (n,)), SOME),), (), "GMem"))
    state = kernel.phase(kernel.launch(kernel.begin("f", ((B0,),))))
    models = {times: Threads(count) for times in range(-1, 4)}
    try:
        for phase in phases:
            state = phase_by_rule(r, kernel, state, phase, count)
            for times, model in models.items():
                model.run(phase, times)
                said = permissions(state, {"n": count, "m": times})
                must_allow(replace(said, full=dict.fromkeys(said.full)), model.permissions())
    except Rejected:
        pass
    return kernel.accepted


def phase_by_rule(r: Random, kernel: Counting, state: State, phase: Phase, count: int) -> State:
    what, extents, index, back, inner = phase
    match what:
        case "write":
            return writing(r, kernel, state, extents, index, back)
        case "read":
            after = reading(kernel, state, extents, index)
            return forgotten(r, kernel, after, count) if r.random() < 0.7 else after
        case "barrier":
            return kernel.barrier(state)
        case _:
            wide = PendingRead(1, Cells("a", ((ZERO, m), (ZERO, n)), TRUE, (B0,)), Owner(ZERO, k.num(count)))
            pending_reads = r.choice([(), (wide,)])
            kept = Invariant(1, TRUE, None)
            contract = LoopContract((), (kept,), pending_reads=pending_reads, covers=covers(r, state))
            body = kernel.enter_loop(state, contract)
            for one in inner:
                body = phase_by_rule(r, kernel, body, one, count)
            return kernel.leave_loop(body, (), ((),), covers(r, body))


def covers(r: Random, state: State) -> tuple[Cover, ...]:
    """Marks inside of the one that says that everything was read; rarely by other maps."""
    return tuple(Cover(0, x.cells.index if r.random() < 0.9 else (ZERO, *x.cells.index)) for x in state.pending_reads)


def forgotten(r: Random, kernel: Counting, state: State, count: int) -> State:
    """A mark made wider, or tried to be made narrower."""
    if not state.pending_reads:
        return state
    old = state.pending_reads[0]
    cells = r.choice([box("a", (n,)), box("a", (n,)), box("a", (k.num(count - 1),)), old.cells])
    reader = r.choice([Owner(ZERO, k.num(count)), Owner(ZERO, k.num(count)), Owner(ONE, ONE), Owner(ZERO, ONE)])
    forward = r.choice([old.cells.index, old.cells.index, arguments(old.cells.arity), (ZERO, *old.cells.index)])
    try:
        return kernel.forget(state, 0, PendingRead(1, cells, reader), Cover(0, forward))
    except Rejected:
        return state


# Barriers of blocks and warps, shuffles


def barriers(r: Random) -> Counter[str]:
    """A barrier is for exactly the threads of a block, or 32 of a block that is made of warps."""
    total, grid = r.choice([(4, 1), (4, 2), (32, 1), (64, 1), (16, 2), (64, 2), (48, 1)])
    extent = r.choice([1, grid, 2, total * grid // 32 or 1])
    level = r.choice(["block", "warp"])
    start = (
        kc.LaunchKernel(k.num(grid), k.num(total), ZERO),
        kc.Phase("threads"),
        nest(("b",), (extent,), kc.Barrier(level)),
    )
    kernel = Counting(function(start, (k.le(ZERO, n),), (CellClaim(box("a", (n,)), SOME),), (), "GMem"))
    state = kernel.phase(kernel.launch(kernel.begin("f", ((B0,),))))
    part, rest = divmod(grid * total, extent)
    try:
        kernel.barrier(kernel.enter_loop(state, LoopContract(part=k.num(part))))
    except Rejected:
        return kernel.accepted
    starts = [v * part for v in range(extent)]
    assert rest == 0 and part == (total if level == "block" else 32)
    assert all(s // total == (s + part - 1) // total for s in starts)  # each in one block
    assert level == "block" or all(s % total % 32 == 0 for s in starts)
    return kernel.accepted


def source_lane(op: str, lane: int, amount: int) -> int:
    """The lane whose value `__shfl_…_sync` gives, by the CUDA manual: a lane outside of the warp gives one's own."""
    other = {"shfl_down": lane + amount, "shfl_up": lane - amount, "shfl_xor": lane ^ amount, "shfl": amount % 32}[op]
    return other if 0 <= other < 32 else lane


def shuffles(r: Random) -> Counter[str]:
    """After a shuffle, each lane's register holds what the other lane's did, and it is still its own."""
    op, amount = r.choice(["shfl_down", "shfl_up", "shfl_xor", "shfl"]), r.choice([0, 1, 2, 3, 8, 16, 31, 32, -1])
    views = (kc.ArrayView("q", (), ZERO), kc.ArrayView("p", (), ZERO))
    registers = tuple(kc.Allocate(name, REAL, (), "TReg", False, True, 4) for name in "pq")
    symbolic = r.random() < 0.4
    code = (
        kc.LaunchKernel(ONE, k.num(32), ZERO),
        kc.Phase("threads"),
        *registers,
        kc.Shuffle(op, *views, m if symbolic else k.num(amount)),
    )
    facts = (k.le(ZERO, n), k.le(ZERO, m), k.lt(m, k.num(32)))
    kernel = Counting(function(code, facts, (CellClaim(box("a", (n,)), SOME),), (), "GMem"))
    state = kernel.allocate(kernel.allocate(kernel.phase(kernel.launch(kernel.begin("f", ((B0,),))))))
    p, q = max(state.held) - 1, max(state.held)
    state = changed(state, held={**state.held, p: replace(state.held[p], init=TRUE, value=CONTENT)})
    maps = [(B0,), (B0,), (B0,)]
    if r.random() < 0.3:
        maps[r.randrange(3)] = (r.choice([ZERO, k.sub(k.num(31), B0), k.add(B0, ONE)]),)
    try:
        after = kernel.shuffle(state, p, maps[0], q, maps[1], maps[2])
    except Rejected:
        return kernel.accepted
    assert symbolic or 0 <= amount < 32
    for given_ in (0, 1, 5, 31) if symbolic else (amount,):
        said = permissions(after, {"n": 0, "m": given_, "A": initial})
        for lane in range(32):
            assert said.full["q", (lane,)] == initial(source_lane(op, lane, given_)), (op, given_, lane)
            assert said.owners["q", (lane,)] == {lane}
    return kernel.accepted


# Two families as one, and theorems of other programs


def gathered(r: Random) -> Counter[str]:
    """After `gather` the same cells are held as before, with the same contents."""
    facts = random_facts(r, k.le(ZERO, m), k.le(m, n))
    at = r.choice([m, m, ONE, k.fdiv(n, TWO)])
    parts = [Cells("a", ((low, high),), TRUE, (B0,)) for low, high in ((ZERO, at), (at, n))]
    contents = [r.choice([(KNOWN, CONTENT), (UNINIT, None), (KNOWN, NINE)]) for _ in parts]
    pre = tuple(CellClaim(c, kind, value) for c, (kind, value) in zip(parts, contents))
    kernel = Counting(function((), facts, pre))
    with suppress(Rejected):
        state = kernel.begin("f", ((B0,), (B0,)))
        cells = r.choice([box("a", (n,)), random_cells(r), Cells("a", ((ZERO, n),), TRUE, (k.sub(k.sub(n, ONE), B0),))])
        test = r.choice([k.lt(cells.index[0], at)] * 4 + [k.lt(B0, m), k.le(B0, at), TRUE])
        sides = [replace(cells, where=k.and_(cells.where, side)) for side in (test, k.not_(test))]
        numbers = r.choice([(1, 2)] * 6 + [(2, 1), (1, 1)])
        takes = [
            Take(
                number,
                mapping(r, state.held[number].cells, side, state),
                mapping(r, side, state.held[number].cells, state),
            )
            for number, side in zip(numbers, sides)
        ]
        after = kernel.gather(state, cells, test, (takes[0], takes[1]))
        for run in memories(facts, pre):
            assert permissions(after, run.env) == permissions(state, run.env)
    return kernel.accepted


def recalled(r: Random) -> Counter[str]:
    """A theorem is used of another program only if the function and the axioms are the same there."""
    ensures, other = (r.choice([(), (k.le(ZERO, n),)]) for _ in range(2))
    judge = ObligationJudge()
    facts = (k.le(ZERO, n), k.le(ZERO, m))

    def program(promise: tuple[Term, ...]) -> kc.KernelProgram:
        f = function((), facts, ())
        return kc.KernelProgram({"f": replace(f, contract=replace(f.contract, ensures=promise))})

    kernel = Kernel(judge, program(ensures), LedgerEntries())
    theorem = kernel.finish(kernel.begin("f", ()), (), ((),) * len(ensures))
    accepted_ = Counter[str]()
    try:
        Kernel(judge, program(other), LedgerEntries()).recall(theorem)
        accepted_["recall"] += 1
        assert ensures == other
    except ValueError:
        assert ensures != other
    return accepted_


# The table

Model = Callable[[Random], Counter[str]]
MODELS: dict[str, tuple[Model, int]] = {  # rule -> what runs it beside the model, and how often it is accepted in a test
    "begin": (contracts, 10), "finish": (contracts, 2),
    "let": (straight, 5), "load": (straight, 5), "store": (straight, 5), "allocate": (straight, 3), "free": (straight, 2),
    "oblige": (straight, 2), "assertion": (straight, 2), "ghost": (straight, 2), "tidy": (straight, 5), "restate": (straight, 3),
    "gather": (gathered, 5), "recall": (recalled, 5), "choose": (machine, 5),
    "enter_if": (straight, 2), "join_if": (straight, 1), "unroll": (straight, 1),
    "range_of": (loops, 20), "enter_loop": (loops, 10), "leave_loop": (loops, 8), "call": (calls, 5),
    "launch": (launches, 5), "phase": (launches, 5), "barrier": (block, 5), "forget": (block, 2), "shuffle": (shuffles, 10),
}  # fmt: skip
MORE: dict[str, Model] = {
    "let": machine,
    "load": machine,
    "store": machine,
    "enter_loop": block,
    "leave_loop": block,
    "barrier": barriers,
}  # rules that threads use, too
EXAMPLES = 150
_ACCEPTED: dict[Model, Counter[str]] = {}


def accepted(model: Model) -> Counter[str]:
    """How often each rule is accepted, in as many random examples; run once for all rules that share a model."""
    if model not in _ACCEPTED:
        count = _ACCEPTED[model] = Counter[str]()

        @settings(max_examples=EXAMPLES, deadline=None)
        @given(st.integers(0, 2**32))
        def beside(seed: int) -> None:
            count.update(model(Random(seed)))

        beside()
    return _ACCEPTED[model]


def public_rules() -> list[str]:
    return sorted((*RULES, "range_of"))


@pytest.mark.parametrize("rule", public_rules())
def test_rule(rule: str) -> None:
    model, least = MODELS[rule]
    assert accepted(model)[rule] >= least
    if rule in MORE:
        assert accepted(MORE[rule])[rule] >= least
