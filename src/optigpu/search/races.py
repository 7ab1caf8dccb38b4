"""Data races behind rejected rules: which two accesses no happens-before orders, in which scope, a witness, a missing barrier.

Nothing here decides anything: it looks for an explanation after the kernel has rejected a rule.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping

from optigpu.kernel import State
from optigpu.kernel.causes import Cause, MissingPermission, NotOwner, Operation, UnorderedRead
from optigpu.kernel.context import MAGIC, NOWHERE, THREADS
from optigpu.kernel.instructions import HOST_MEMORY, Procedure
from optigpu.kernel.loop_contract import EnteredLoop
from optigpu.kernel.thread_conditions import WARP
from optigpu.light_dataclass import dataclass
from optigpu.logic import terms as k
from optigpu.logic.cells import ACCUMULATING, FULL, CellFamily
from optigpu.logic.facts import Facts
from optigpu.logic.terms import INT, ZERO, Term
from optigpu.search.evaluation import Undefined, evaluate
from optigpu.search.search_causes import (
    DataRace,
    MissingBarrier,
    RaceKind,
    RaceScope,
    RaceWitness,
    ReadOnly,
    SharedByThreads,
    StillAccumulating,
)
from optigpu.search.search_tools import SearchTools

COUNTEREXAMPLE_TRIES = 4000
MAX_COUNTEREXAMPLE_VARIABLES = 8


@dataclass(frozen=True, slots=True)
class Access:
    """A load or store that was executed."""

    base: str
    write: bool
    at: int


def explained(tools: SearchTools, state: State, cause: Cause, accesses: list[Access], at: int) -> Cause:
    """Return the data race that a rejection at an instruction reveals, with an explanation; else the cause unchanged."""
    base = cause.base
    if base not in state.bases:
        return cause
    race = _race(tools, state, cause)
    if race is None:
        return cause
    kind, scope = race
    if state.bases[base].space == HOST_MEMORY:  # one barrier orders all of it, also between blocks
        scope = RaceScope.BLOCK
    write = kind is not RaceKind.AFTER_READ
    earlier = [a.at for a in accesses if a.base == base and a.write is write and a.at != at]
    barrier = None
    if scope is RaceScope.BLOCK and kind is not RaceKind.ONE_LOOP:
        barrier = MissingBarrier(*_missing_barrier(state, base), state.context.block)
    return DataRace(
        cause.operation,
        base,
        rejected=cause.rejected or cause if isinstance(cause, SharedByThreads) else cause,
        kind=kind,
        scope=scope,
        space=state.bases[base].space,
        earlier=earlier[-1] if earlier else None,
        witness=_witness(state, cause, scope),
        barrier=barrier,
        facts=cause.facts,
        goal=cause.goal,
    )


def _race(tools: SearchTools, state: State, cause: Cause) -> tuple[RaceKind, RaceScope] | None:
    """Which kind of race does a rejection reveal, if any?"""
    access = cause.operation in (Operation.LOAD, Operation.STORE)
    if access and isinstance(cause, MissingPermission | ReadOnly):
        taken = _taken_by(state, cause.base) if _inside(tools, state, cause) else None
        return None if taken is None else (RaceKind.ONE_LOOP, _scope(tools, taken))
    match cause:
        case SharedByThreads():
            kind = RaceKind.ONE_LOOP
        case NotOwner() | StillAccumulating():
            kind = RaceKind.AFTER_WRITE
        case UnorderedRead():
            kind = RaceKind.AFTER_READ
        case _:
            return None
    if state.context.kind in (THREADS, MAGIC):
        loop = cause.operation is Operation.LOOP
        return kind, _scope(tools, state) if loop else _lent_to(state, cause.base)
    return (kind, RaceScope.BLOCK) if kind is RaceKind.ONE_LOOP else None


def _inside(tools: SearchTools, state: State, cause: MissingPermission | ReadOnly) -> bool:
    """Is the needed cell within the bounds of the array? If not, there is no race to explain."""
    need = cause.need if isinstance(cause, MissingPermission) else None
    if need is None or need.arity:
        return True
    dims = state.bases[cause.base].dims
    bounds = [k.and_(k.le(ZERO, e), k.lt(e, d)) for e, d in zip(need.at(()), dims) if d is not None]
    return tools.proves(state.facts, k.and_(*bounds))


def _witness(state: State, cause: Cause, scope: RaceScope) -> RaceWitness | None:
    """Find two racing threads, in numbers: which one accesses which cell now, and which one did before."""
    if not isinstance(cause, NotOwner | UnorderedRead) or cause.facts is None or cause.goal is None:
        return None
    if state.context.kind == MAGIC or (cause.other is not None and NOWHERE in cause.other.start.free):
        return None  # iterations of magic loops are no threads
    example = None if cause.other is None else counterexample(cause.facts, cause.goal)
    if example is None or cause.other is None or cause.cell is None:
        return None
    begin = _first_thread(state, scope)
    other = cause.other.moved(begin)
    terms = (
        k.add(begin, ZERO if cause.first is None else cause.first),
        other.start,
        other.size,
        state.context.block,
        *cause.cell,
    )
    try:
        now, then, size, block, *cell = (_at(cause.facts.reduce(t), example) for t in terms)
    except Undefined:
        return None
    if now == then and isinstance(cause, UnorderedRead):  # one of several readers: another one
        then += size - 1
    elif now == then:  # one of several threads that access the cell: one that does not own it
        now += size
    return RaceWitness(now, then, tuple(cell), block)


def _first_thread(state: State, scope: RaceScope) -> Term:
    """Return the number of the current group's first thread, in its block or in the grid."""
    first = ZERO
    for s in _inside_function(state):
        if scope is RaceScope.BLOCK and s.context.threads is s.context.block:
            break
        if isinstance(s.block.opened_by, EnteredLoop) and s.block.opened_by.first is not NOWHERE:
            first = k.add(first, s.block.opened_by.first)
    return first


def _enclosing(state: State) -> Iterator[State]:
    """Yield this state, and the state before each block around it."""
    s: State | None = state
    while s is not None:
        yield s
        s = s.block.before


def accumulating_around(state: State, base: str) -> bool:
    """Do threads add to cells of the base here, or in a group around, which has not lent them?"""
    families = (r for s in _enclosing(state) for r in s.held.values())
    return any(r.cells.base == base and r.share in ACCUMULATING for r in families)


def _inside_function(state: State) -> Iterator[State]:
    """Yield the enclosing states that are inside a block of their function."""
    return (s for s in _enclosing(state) if s.block.before is not None)


def _missing_barrier(state: State, base: str) -> tuple[str, int]:
    """Return which barrier would order the accesses, and the instruction before which it belongs: a thread loop.

    A warp's barrier is enough if the warp has the memory to itself. Only a magic barrier orders default memory.
    """
    magic = state.bases[base].space == HOST_MEMORY
    for s in _enclosing(state):
        at = s.next.at if s.next is not None else 0
        if magic and any(r.cells.base == base and r.share == FULL for r in s.held.values()):
            return "magic", at
        if magic:
            continue
        if s.context.threads is s.facts.simplify(s.context.block):
            return "block", at
        if s.context.threads is k.num(WARP) and any(r.cells.base == base and r.share == FULL for r in s.held.values()):
            return "warp", at
    return "magic" if magic else "block", 0


def levels(state: State) -> list[tuple[str, Term]]:
    """List the groups of threads around this point, outermost first: the loop that makes each, and its number of threads.

    The first has no loop: it is the grid, or the caller of a device function.
    """
    loops = [loop for s in _inside_function(state) if (loop := _thread_loop(s)) is not None]
    inner = [(str(loop.v.data), loop.context.threads) for loop in reversed(loops) if loop.first is not NOWHERE]
    f = _procedure(state)
    grid = ("", k.mul(state.context.grid, state.context.block))
    groups = [(f"{f.name}()", f.threads) if f.device else grid, *inner]
    return [(name, state.facts.simplify(threads)) for name, threads in groups]


def _procedure(state: State) -> Procedure:
    """Return the function around this point."""
    *_, outermost = _enclosing(state)
    assert isinstance(outermost.block.opened_by, Procedure)
    return outermost.block.opened_by


def _thread_loop(state: State) -> EnteredLoop | None:
    """Return the loop whose body this is, if it divides a group of threads, or is a magic loop."""
    before, loop = state.block.before, state.block.opened_by
    if not isinstance(loop, EnteredLoop) or before is None:
        return None
    return loop if loop.first is NOWHERE or loop.context != before.context else None


def _taken_by(state: State, base: str) -> State | None:
    """Return the state before the innermost thread loop that gives cells of the base to its iterations."""
    for s in _inside_function(state):
        loop = _thread_loop(s)
        if loop is not None and any(x.cells.base == base for x in loop.contract.exclusive):
            return s.block.before
    return None


def _scope(tools: SearchTools, state: State) -> RaceScope:
    """Are the threads of this group in one block? Those that call a device function are."""
    c = state.context
    if _procedure(state).device:
        return RaceScope.BLOCK
    return RaceScope.BLOCK if tools.proves(state.facts, k.le(c.threads, c.block)) else RaceScope.GRID


def _lent_to(state: State, base: str) -> RaceScope:
    """Does the block around this point own the base, or is it lent by the grid?"""
    for s in _inside_function(state):
        whole_block = s.context.kind == THREADS and s.context.threads is s.context.block
        if whole_block and any(_holds(r, base) for r in s.held.values()):
            return RaceScope.BLOCK
    return RaceScope.BLOCK if _procedure(state).device else RaceScope.GRID


def _holds(r: CellFamily, base: str) -> bool:
    """Does the group hold cells of the base in full, or add to cells that nobody has lent to it?"""
    return r.cells.base == base and (r.share == FULL or (r.share in ACCUMULATING and r.owner is None))


def counterexample(facts: Facts, goal: Term) -> dict[Term, int] | None:
    """Find small numbers for the variables for which the facts hold and the goal does not."""
    goal = facts.reduce(goal)
    items = [i for i in facts.items if i.op not in ("all", "forall")]
    connected = set(goal.free)  # variables of the goal, and of facts that have to do with it
    while True:
        more = {x for i in items if i.free & connected for x in i.free}
        if more <= connected:
            break
        connected |= more
    variables = sorted((x for x in connected if x.sort is INT), key=lambda x: str(x.data))
    relevant = [i for i in items if i.free & connected and all(x.sort is INT for x in i.free)]
    if len(variables) > MAX_COUNTEREXAMPLE_VARIABLES or any(x.sort is not INT for x in goal.free):
        return None
    rng = random.Random(0)
    for attempt in range(COUNTEREXAMPLE_TRIES):
        greatest = 2 + attempt * 40 // COUNTEREXAMPLE_TRIES
        env = {x: rng.randrange(greatest) for x in variables}
        try:
            if not evaluate(goal, env) and all(evaluate(i, env) for i in relevant):
                return env
        except Undefined:
            continue
    return None


def _at(t: Term, witness: Mapping[Term, int]) -> int:
    """Evaluate a term at the witness. Variables that it does not mention may have any value: 0."""
    return int(evaluate(t, {**dict.fromkeys(t.free, 0), **witness}))
