"""Whole rules beside an obvious model: the heap is a dictionary, a program is run, and what the kernel says of cells must be so.

Programs, contracts and maps are random; sizes are symbolic for the kernel and small numbers for the model: negative, zero and more.
What the kernel rejects says nothing; the tests count that enough is accepted.
"""

from __future__ import annotations

from random import Random
from typing import Any

from optigpu.checker.witness import invert, temporaries
from optigpu.kernel import code as kc
from optigpu.kernel import terms as k
from optigpu.kernel.calls import Kernel
from optigpu.kernel.cells import FULL, KNOWN, READ, SOME, UNINIT, Cells, Claim, box
from optigpu.kernel.conditions import Take
from optigpu.kernel.facts import Facts
from optigpu.kernel.iterations import Exclusive, LoopContract
from optigpu.kernel.judge import Judge
from optigpu.kernel.ledger import Ledger
from optigpu.kernel.state import Rejected, State
from optigpu.kernel.terms import INT, ONE, REAL, TRUE, ZERO, Term
from optigpu.prover.z3_solver import Z3Solver
from tests.support.model import contents, environments
from tests.support.terms import evaluate

n, m, i = k.var("n", INT), k.var("m", INT), k.var("i", INT)
A = k.var("A", k.fun_sort((INT,), REAL))
FUNCTIONS = {"A": lambda j: j * 7 % 5 + 1}
B0 = k.bound(0, INT)
TWO = k.num(2)
Heap = dict[tuple[int, ...], Any]


class Outside(Exception):
    """The model accessed a cell that is not there, or read one that is not written."""


def start(
    code: kc.Code, facts: tuple[Term, ...], init: str = KNOWN, others: tuple[kc.Function, ...] = ()
) -> tuple[Kernel, State]:
    claim = Claim(box("a", (n,)), init, k.app(A, B0) if init == KNOWN else None)
    contract = kc.Contract((), facts, (claim,), (), ())
    f = kc.Function("f", (kc.Param("n", INT), kc.Param("m", INT), kc.Param("a", REAL, (n,))), contract, code)
    kernel = Kernel(Judge(Z3Solver()), kc.Program({"f": f, **{g.name: g for g in others}}), Ledger())
    return kernel, kernel.begin("f", ((B0,),))


def models(facts: Facts) -> list[dict[str, Any]]:
    return list(environments(("n", "m"), range(-2, 6), facts, FUNCTIONS))


def heap(env: dict[str, Any], init: str = KNOWN) -> Heap:
    return {(j,): FUNCTIONS["A"](j) if init == KNOWN else None for j in range(env["n"])}


FACTS = [
    k.le(ZERO, n), k.le(ZERO, m), k.lt(m, n), k.le(m, n), k.lt(ZERO, n), k.eq(n, k.scale(2, m)), k.le(TWO, n),
    k.eq(k.fmod(n, TWO), ZERO),
]  # fmt: skip


def random_facts(r: Random) -> tuple[Term, ...]:
    return tuple(r.sample(FACTS, r.randint(1, 4)))


# Loops


def random_loop(r: Random) -> tuple[kc.Loop, Term]:
    """A loop that writes a cell in each iteration."""
    up = r.random() < 0.6
    low, high = r.choice([ZERO, ZERO, ONE, k.num(-1), m]), r.choice([n, n, m, k.sub(n, ONE), k.fdiv(n, TWO), k.num(3)])
    relation = r.choice(["<", "<", "<="] if up else [">", ">=", ">="])
    first, last = (low, high) if up else (k.sub(high, ONE), low)
    index = r.choice(
        [
            i,
            i,
            i,
            k.sub(k.sub(n, ONE), i),
            k.scale(2, i),
            k.add(i, ONE),
            k.fdiv(i, TWO),
            k.fmod(i, TWO),
            ZERO,
            k.sub(i, m),
        ]
    )
    value = r.choice([k.num(9, REAL), k.to_real(i), k.app(A, k.add(i, m)), k.to_real(k.mul(i, i))])
    body = (kc.Store(kc.Place("a", (index,)), value),)
    mode = r.choice([kc.SEQUENTIAL, kc.PARALLEL])
    return kc.Loop(i, first, relation, last, "+" if up else "-", k.num(r.choice([1, 1, 2, 3])), body, mode), index


def loop_by_rule(kernel: Kernel, state: State, loop: kc.Loop, index: Term) -> State:
    """Each iteration has the cell it writes."""
    range_ = kernel.range_of(state, loop)
    at = k.substitute(k.abstract(index, (i,)), {})
    under = k.instantiate(at, (range_.index,))
    cells = Cells("a", ((range_.low, range_.high),), TRUE, (under,))
    family = state.held[1].cells
    (x,), (y,) = temporaries(1), temporaries(1)
    forward = invert(family, cells.at((x,)), state.facts.assume(cells.domain((x,))))
    back = invert(cells, family.at((y,)), state.facts.assume(family.domain((y,))))
    if forward is None or back is None:
        raise Rejected("test", "no maps")
    maps = tuple(k.abstract(t, (x,)) for t in forward), tuple(k.abstract(t, (y,)) for t in back)
    store = loop.body[0]
    assert isinstance(store, kc.Store)
    value = k.instantiate(k.abstract(store.value, (i,)), (range_.index,))
    body = kernel.enter_loop(state, LoopContract((Exclusive(1, cells, *maps, TRUE, value),)))
    (number,) = [f for f, family_ in body.held.items() if family_.share == FULL]
    return kernel.leave_loop(kernel.store(body, number, ()), ((),), ())


def run_loop(loop: kc.Loop, env: dict[str, Any], memory: Heap) -> Heap:
    out, v = dict(memory), evaluate(loop.start, env)
    bound, step = evaluate(loop.bound, env), evaluate(loop.amount, env)
    store = loop.body[0]
    assert isinstance(store, kc.Store)
    while {"<": v < bound, "<=": v <= bound, ">": v > bound, ">=": v >= bound}[loop.relation]:
        here = {**env, "i": v}
        cell = tuple(evaluate(e, here) for e in store.place.index)
        if cell not in out:
            raise Outside
        out[cell] = evaluate(store.value, here)
        v += step if loop.op == "+" else -step
    return out


def loop_agrees(seed: int) -> bool:
    r = Random(seed)
    facts, init = random_facts(r), r.choice([KNOWN, UNINIT])
    loop, index = random_loop(r)
    kernel, state = start((loop,), facts, init)
    try:
        after = loop_by_rule(kernel, state, loop, index)
    except Rejected:
        return False
    for env in models(after.facts):
        assert contents(after.held[1], env) == run_loop(loop, env, heap(env, init)), (loop, facts, env)
    return True


def test_loops_leave_what_running_them_leaves() -> None:
    assert sum(map(loop_agrees, range(150))) >= 15


# Calls


def call_agrees(seed: int) -> bool:
    """g(count, &a[shift]) sets its cells to 7, and may read others: all of its cells are there, and no others change."""
    r = Random(seed)
    count, shift = (
        r.choice([n, m, ONE, k.sub(n, m), k.fdiv(n, TWO)]),
        r.choice([ZERO, ZERO, m, ONE, k.sub(n, m), k.num(-1)]),
    )
    other = r.choice([None, ZERO, m, k.add(shift, count)])
    size = k.var("k", INT)
    full, read = Claim(box("y", (size,)), SOME), Claim(box("z", (ONE,)), SOME, None, READ)
    pre = (full,) if other is None else (full, read)
    params = [kc.Param("k", INT), kc.Param("y", REAL, (size,)), kc.Param("z", REAL, (ONE,))][: 2 + len(pre) - 1]
    post = (Claim(box("y", (size,)), KNOWN, k.num(7, REAL)),)
    g = kc.Function("g", tuple(params), kc.Contract((), (), pre, post, ()), (), admitted=True)
    views = (kc.View("a", (), shift), kc.View("a", (), other or ZERO))
    kernel, state = start((kc.Call(None, "g", (count, *views[: len(pre)])),), random_facts(r), others=(g,))
    takes = [
        Take(1, (k.add(shift, B0),), (k.sub(B0, shift),)),
        Take(1, (k.add(other or ZERO, B0),), (k.sub(B0, other or ZERO),)),
    ]
    try:
        after = kernel.call(state, (), tuple(takes[: len(pre)]), ())
    except Rejected:
        return False
    for env in models(after.facts):
        memory, first = heap(env), evaluate(shift, env)
        written = range(first, first + max(0, evaluate(count, env)))
        assert {(j,) for j in written} <= memory.keys(), (count, shift, env)
        if other is not None:
            assert (evaluate(other, env),) in memory.keys() - {(j,) for j in written}
        assert contents(after.held[1], env) == {**memory, **{(j,): 7 for j in written}}
    return True


def test_calls_change_the_cells_of_their_view() -> None:
    assert sum(map(call_agrees, range(100))) >= 10


# Straight-line code and branches


def random_block(r: Random, depth: int, known: frozenset[Term] = frozenset()) -> kc.Code:
    """Loads, stores and branches; a variable is used only where it has been loaded on every way."""
    out: list[kc.Instr] = []
    for _ in range(r.randint(1, 3)):
        at = (r.choice([ZERO, m, k.sub(n, ONE), k.sub(k.sub(n, ONE), m), ONE]),)
        kind = r.random()
        if kind < 0.45:
            out.append(kc.Store(kc.Place("a", at), r.choice([k.num(9, REAL), k.to_real(m), *sorted(known)])))
        elif kind < 0.7:
            x = k.var(r.choice("xyz"), REAL)
            out.append(kc.Load(x, kc.Place("a", at)))
            known |= {x}
        elif depth:
            test = r.choice([k.lt(m, ONE), k.eq(m, k.sub(n, ONE)), k.lt(ONE, n)])
            out.append(kc.If(test, random_block(r, depth - 1, known), random_block(r, depth - 1, known)))
    return tuple(out)


def block_by_rule(kernel: Kernel, state: State) -> State:
    while state.code:
        match state.code[0]:
            case kc.Load(_, place):
                state = kernel.load(state, 1, state.values(place.index))
            case kc.Store(place):
                state = kernel.store(state, 1, state.values(place.index))
            case kc.If():
                state = kernel.join_if(*(block_by_rule(kernel, s) for s in kernel.enter_if(state)))
    return state


def run_block(code: kc.Code, env: dict[str, Any], memory: Heap) -> None:
    for instr in code:
        match instr:
            case kc.If(test, then, other):
                run_block(then if evaluate(test, env) else other, env, memory)
            case kc.Load(target, place) | kc.Store(place, target):
                cell = tuple(evaluate(e, env) for e in place.index)
                if cell not in memory or (isinstance(instr, kc.Load) and memory[cell] is None):
                    raise Outside
                if isinstance(instr, kc.Load):
                    env[str(target.data)] = memory[cell]
                else:
                    memory[cell] = evaluate(target, env)


def block_agrees(seed: int) -> bool:
    r = Random(seed)
    facts, init = (k.le(ZERO, m), k.lt(m, n), *random_facts(r)), r.choice([KNOWN, KNOWN, UNINIT])
    code = random_block(r, 2)
    kernel, state = start(code, facts, init)
    try:
        after = block_by_rule(kernel, state)
    except Rejected:
        return False
    for env in models(Facts().assume(*facts)):
        memory = heap(env, init)
        run_block(code, dict(env), memory)
        assert contents(after.held[1], env) == memory, (code, facts, env)
    return True


def test_blocks_leave_what_running_them_leaves() -> None:
    assert sum(map(block_agrees, range(120))) >= 20
