"""The rules for threads beside the finite model: phases of a block, barriers, shuffles, gathered families, recalled theorems."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import replace
from random import Random

from optigpu.kernel import Rejected, State
from optigpu.kernel import instructions as kc
from optigpu.kernel.context import PendingRead
from optigpu.kernel.ledger import LedgerEntries
from optigpu.kernel.loop_contract import Cover, Exclusive, Invariant, LoopContract
from optigpu.kernel.side_conditions import Take
from optigpu.kernel.state import changed
from optigpu.logic import terms as k
from optigpu.logic.cells import KNOWN, SOME, UNINIT, CellClaim, Cells, Owner, Terms, arguments, box
from optigpu.logic.judge import ObligationJudge
from optigpu.logic.terms import INT, ONE, REAL, TRUE, ZERO, Term
from tests.support.model import Misbehaved, Permissions, must_allow, permissions
from tests.support.model_runs import (
    B0,
    CONTENT,
    NINE,
    TWO,
    Counting,
    function,
    initial,
    m,
    mapping,
    memories,
    n,
    random_cells,
    random_facts,
)
from tests.support.open_kernel import OpenKernel as Kernel
from tests.support.open_kernel import entered_loop
from tests.support.terms import evaluate

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
    """An index map from threads to cells, and a candidate for its inverse, at random a wrong one."""
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
                held_permissions = permissions(state, {"n": count, "m": times})
                must_allow(replace(held_permissions, full=dict.fromkeys(held_permissions.full)), model.permissions())
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
    """Covers of each read mark by the mark of all cells; rarely with a wrong map."""
    return tuple(Cover(0, x.cells.index if r.random() < 0.9 else (ZERO, *x.cells.index)) for x in state.pending_reads)


def forgotten(r: Random, kernel: Counting, state: State, count: int) -> State:
    """Replace a read mark by a wider one, or try a narrower one, which the kernel must reject."""
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
        held_permissions = permissions(after, {"n": 0, "m": given_, "A": initial})
        for lane in range(32):
            assert held_permissions.full["q", (lane,)] == initial(source_lane(op, lane, given_)), (op, given_, lane)
            assert held_permissions.owners["q", (lane,)] == {lane}
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
