"""The rules for atomic operations beside a finite model: a block of threads adds, reads, writes and synchronises."""

from __future__ import annotations

from collections import Counter
from random import Random

from optigpu.kernel import Rejected, State
from optigpu.kernel import instructions as kc
from optigpu.kernel.loop_contract import Exclusive, Invariant, LoopContract
from optigpu.logic import terms as k
from optigpu.logic.cells import ACCUMULATING, FULL, KNOWN, CellClaim, CellFamily, Cells, box
from optigpu.logic.equality import Split
from optigpu.logic.terms import INT, ONE, TRUE, ZERO, Term
from tests.support.model import Misbehaved, contents
from tests.support.model_runs import B0, TWO, Counting
from tests.support.open_kernel import entered_loop
from tests.support.terms import evaluate

COUNT = 4  # threads, and cells
LIMITS = [None, (0, 7), (0, 15), (-8, 7), (-128, 127)]
PLACES = [B0, k.sub(k.num(COUNT - 1), B0), k.fdiv(B0, TWO), ZERO, k.fmod(B0, TWO), k.add(B0, ONE)]  # of thread B0
NUMBERS = [ONE, B0, k.sub(B0, TWO), k.num(5), k.num(-3), k.scale(2, B0)]
SUMS = ("atomicAdd", "atomicMax")  # operators for which there is an invariant here
Phase = tuple[str, Term, Term]  # what (an operator, `read`, `write`, `barrier`), the cell and the number of a thread


class Block:
    """Who has changed, written and read which cell since the last barrier, and what the cells hold."""

    def __init__(self, limits: kc.Limits) -> None:
        self.limits, self.cells = limits, [2] * COUNT
        self.done: list[tuple[int, int, str]] = []  # (cell, thread, what)

    def run(self, r: Random, phase: Phase) -> None:
        what, place, number = phase
        if what == "barrier":
            self.done.clear()
            return
        for thread in r.sample(range(COUNT), COUNT):
            cell = evaluate(place, {}, (thread,))
            if not 0 <= cell < COUNT:
                raise Misbehaved("outside")
            for other_cell, other, did in self.done:
                if (
                    other_cell == cell
                    and other != thread
                    and (did != what or what == "write")
                    and {did, what} != {"read"}
                ):
                    raise Misbehaved(f"race on {cell}: {did}, {what}")
            self.done.append((cell, thread, what))
            self.change(what, cell, evaluate(number, {}, (thread,)))

    def change(self, what: str, cell: int, x: int) -> None:
        old = self.cells[cell]
        new = {"read": old, "write": x, "atomicAdd": old + x, "atomicMax": max(old, x), "atomicMin": min(old, x)}
        new |= {"atomicAnd": old & x, "atomicOr": old | x, "atomicXor": old ^ x}
        low, high = self.limits or (-1000, 1000)
        self.cells[cell] = (new[what] - low) % (high - low + 1) + low


def code_of(phase: Phase) -> kc.Instruction:
    what, place, number = phase
    if what == "barrier":
        return kc.Barrier("block")
    t = k.var("t", INT)
    cell, value = kc.CellAddress("a", (k.instantiate(place, (t,)),)), k.instantiate(number, (t,))
    body: kc.Instruction = kc.AccumulateCell(cell, what, value)
    if what in ("read", "write"):
        body = kc.LoadCell(k.var("x", INT), cell) if what == "read" else kc.StoreCell(cell, value)
    return kc.CountedLoop(t, ZERO, "<", k.num(COUNT), "+", ONE, (body,), kc.THREAD)


def at_start(operator: str, r: CellFamily, phase: Phase, v: Term) -> Term:
    """What a cell (B0) holds at the start of iteration v, if threads run one after the other."""
    _, place, number = phase
    mine = k.eq(place, k.bound(1, INT))  # under the cell, and then the thread
    if operator == "atomicAdd":
        return k.add(r.value, k.big("sum", ZERO, v, k.ite(mine, number, ZERO)))
    return k.big("fold_max", ZERO, v, k.ite(mine, number, k.shift(r.value, 1)), r.value)


def changing(r: Random, kernel: Counting, state: State, phase: Phase) -> State:
    """Each thread changes a cell; at random, the family is not collected, for another operator, or with a wrong invariant."""
    operator, place, _ = phase
    if state.held[1].share == FULL and r.random() < 0.9:
        state = kernel.collect(state, 1, operator if r.random() < 0.9 else r.choice(ACCUMULATING))
    family = state.held[1]
    v = k.bound(1, INT) if r.random() < 0.9 else k.add(k.bound(1, INT), ONE)
    value = at_start(operator, family, phase, v) if operator in SUMS else None
    body = kernel.enter_loop(state, LoopContract(invariant=(Invariant(1, family.init, value),), part=ONE))
    now = entered_loop(body).v
    if r.random() < 0.1:
        body = kernel.load(body, 1, (k.instantiate(place, (now,)),))
    end = kernel.accumulate(body, 1, (k.instantiate(place, (now,)),))
    after = () if value is None else k.subterms(at_start(operator, family, phase, k.add(now, ONE)))
    return kernel.leave_loop(end, (), (tuple(Split(x, now) for x in after if x.op in ("sum", "fold_max"))[:1],))


def by_rule(r: Random, kernel: Counting, state: State, phase: Phase) -> State:
    what, place, number = phase
    match what:
        case "barrier":
            return kernel.barrier(state)
        case "read":
            body = kernel.enter_loop(state, LoopContract(part=ONE))
            return kernel.leave_loop(kernel.load(body, 1, (k.instantiate(place, (entered_loop(body).v,)),)), (), ())
        case "write":
            cells = Cells("a", ((ZERO, k.num(COUNT)),), TRUE, (place,))
            x = Exclusive(1, cells, (place,), (place,), TRUE, number)
            body = kernel.enter_loop(state, LoopContract((x,), part=ONE))
            (own,) = [f for f in body.held if f not in state.held]
            return kernel.leave_loop(kernel.store(body, own, ()), ((),), ())
        case _:
            return changing(r, kernel, state, phase)


def atomics(r: Random) -> Counter[str]:
    """What is accepted has no race, and what can be read is what the cells hold, in whatever order threads ran."""
    limits = r.choice(LIMITS)
    kinds = [*SUMS] * 3 + [*ACCUMULATING] + ["barrier"] * 6 + ["read", "write"]
    chosen = [(r.choice(kinds), r.choice(PLACES), r.choice(NUMBERS)) for _ in range(5)]
    start = (kc.LaunchKernel(ONE, k.num(COUNT), ZERO), kc.Phase("threads"))
    code = (*start, *map(code_of, chosen))
    parameter = kc.Parameter("a", INT, (k.num(COUNT),), "GMem", 4, limits)
    claim = CellClaim(box("a", (k.num(COUNT),)), KNOWN, TWO)
    kernel = Counting(kc.Procedure("f", (parameter,), kc.ProcedureContract((), (), (claim,), (), ()), code))
    state = kernel.phase(kernel.launch(kernel.begin("f", ((B0,),))))
    model = Block(limits)
    known = True  # are the contents known?
    try:
        for phase in chosen:
            state = by_rule(r, kernel, state, phase)
            model.run(r, phase)
            known = known and (phase[0] in ("read", "write", "barrier", *SUMS))
            if known and state.held[1].share == FULL:
                assert contents(state.held[1], {}) == {(c,): x for c, x in enumerate(model.cells)}
    except Rejected:
        pass
    return kernel.accepted
