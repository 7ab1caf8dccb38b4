"""Rules for straight-line code: variables, memory accesses, allocation, obligations and proof steps."""

from __future__ import annotations

from optigpu.kernel.causes import (
    EmptyGroup,
    NegativeSize,
    NotAllocated,
    Operation,
    OutOfOrder,
    Rejected,
    SharedMemoryExceeded,
    SharedMemoryInUse,
    StillInUse,
    Uninitialised,
    UnmetObligation,
    UnprovedFact,
    WrongContext,
    WrongStage,
)
from optigpu.kernel.context import GROUP_SIZE, HOST, MAGIC, TEARDOWN, THREADS
from optigpu.kernel.instructions import (
    FRAGMENT,
    HOST_MEMORY,
    REGISTER,
    SHARED,
    Allocate,
    Assertion,
    Bind,
    CellAddress,
    GhostStep,
    Havoc,
    LoadCell,
    Obligation,
    Oblige,
    Release,
    StoreCell,
)
from optigpu.kernel.pipeline_rules import is_ahead, is_staged
from optigpu.kernel.side_conditions import (
    SideConditions,
    Take,
    family_of,
    member,
    next_instruction,
    require_known,
    within,
)
from optigpu.kernel.state import Base, State, changed, take_number
from optigpu.kernel.thread_conditions import (
    memory_of,
    reads_after,
    require_access,
    require_claimed_owner,
    require_reach,
)
from optigpu.light_dataclass import replace
from optigpu.logic import terms as k
from optigpu.logic.cells import FULL, LENT, READ, CellFamily, Cells, Terms, arguments, box, same, single, unknown
from optigpu.logic.equality import EqualitySteps
from optigpu.logic.terms import TRUE, ZERO


def let(c: SideConditions, state: State) -> State:
    """x = e, for a variable that never changes.

        {F; H} x = e {F; H with x standing for e}

    For unsigned numbers of w bits x is e mod 2^w, which is e itself where F |- 0 <= e < 2^w.
    """
    i = next_instruction(state, Bind)
    value = state.value(i.value)
    if i.bits and not c.judge.proves(state.facts, within(value, (0, (1 << i.bits) - 1))):
        value = state.facts.simplify(k.fmod(value, k.num(1 << i.bits)))
    return changed(state, env={**state.env, i.target: value}, code=state.code[1:])


def choose(c: SideConditions, state: State) -> State:
    """x is an arbitrary value within limits, the same for all threads of the group.

    {F; H} x = * {F, lo <= x' <= hi; H with x standing for x'}     x' is a new variable
    """
    i = next_instruction(state, Havoc)
    value, names = state.fresh(str(i.target.data), i.target.sort), dict(state.names)
    take_number(names, value.data.stem, state.block.depth)
    facts, env = state.facts.assume(within(value, i.limits)), {**state.env, i.target: value}
    return changed(state, facts=facts, env=env, code=state.code[1:], names=names)


def load(c: SideConditions, state: State, family: int, at: Terms) -> State:
    """x = a[e].

        r in H (any share),   F |- r.e(w) = e,  w in r,  r.init(w)
        ----------------------------------------------------------------------------
        {F; H} x = a[e] {F, x within the limits of a; H with x standing for r.value(w)}

    Side conditions: whoever executes can reach the memory, and all its threads own the cell. The read is pending until a barrier.
    """
    i = next_instruction(state, LoadCell)
    r, need = _accessed(c, Operation.LOAD, state, i.place, family, at, READ)
    c.require(state.facts, r.init_at(at), Uninitialised(Operation.LOAD, i.place.base, cells=need))
    value = state.facts.simplify(r.value_at(at)) if at else r.value  # a variable stays as stored: branches share it
    facts = state.facts.assume(within(value, state.bases[i.place.base].limits))  # as all that was stored there
    env = {**state.env, i.target: value}
    return changed(state, facts=facts, env=env, pending_reads=reads_after(state, family, need), code=state.code[1:])


def store(c: SideConditions, state: State, family: int, at: Terms) -> State:
    """a[e] = x.

        r in H (full share),   F |- r.e(w) = e,  w in r,  x within the limits of a
        ---------------------------------------------------------------------------
        {F; H, r} a[e] = x {F; H, r with value(b) = (b = w ? x : r.value(b))}

    Side conditions: as for `load`, and one thread executes it (registers excepted: each thread has its own). On default memory a
    group acts as one, and nobody else has read the cell since the last magic barrier (`require_access`).
    Sound: r is injective, so that b = w is the only binder of the cell, and no other family has it.
    """
    i = next_instruction(state, StoreCell)
    r, _ = _accessed(c, Operation.STORE, state, i.place, family, at, FULL)
    value = state.value(i.value)
    c.require_fits(Operation.STORE, state, value, state.bases[i.place.base].limits, i.place.base)
    new = r.updated(same(arguments(r.cells.arity), at), value, TRUE)
    return changed(state, held={**state.held, family: new}, code=state.code[1:])


def _accessed(
    c: SideConditions, operation: Operation, state: State, address: CellAddress, family: int, at: Terms, share: str
) -> tuple[CellFamily, Cells]:
    """The cell at an address is one of the family, at these binders, and whoever executes here may access it."""
    require_known(state, at)
    require_reach(operation, state, address.base)
    r = family_of(operation, state.held, family, address.base, share)
    need = single(address.base, state.values(address.index))
    c.require_cells(operation, state.facts, need, r, at)
    require_access(c, operation, state, r, at, write=share == FULL)
    return r, need


def allocate(c: SideConditions, state: State) -> State:
    """malloc, or a local variable or array.

        F |- 0 <= n1, ..., 0 <= nk      a is a new base
        -------------------------------------------------------------------
        {F; H} a = alloc(n1, ..., nk) {F; H, all cells of a, uninitialised}

    Side conditions: the memory is one that whoever executes can allocate (`memory_of`). Shared memory is counted in bytes against
    the launch, and the name of a shared array that threads may still use is not taken again.
    """
    i = next_instruction(state, Allocate)
    if i.base in state.bases:
        raise Rejected(OutOfOrder(Operation.ALLOCATE, i.base, text="the base exists already"))
    if any(name == i.base for name, _ in state.context.busy):
        raise Rejected(SharedMemoryInUse(Operation.ALLOCATE, i.base))
    dims = state.values(i.dims)
    sizes = k.and_(*(k.le(k.ZERO, d) for d in dims))
    c.require(state.facts, sizes, NegativeSize(Operation.ALLOCATE, i.base))
    space, copies, owner, layout = memory_of(c, state, i)
    amount = k.mul(k.num(i.bytes), *dims) if space == SHARED else ZERO
    if space == SHARED and state.pipeline is not None and state.pipeline.ahead:
        if state.pipeline.home is not state.block.token:
            raise Rejected(WrongStage(Operation.ALLOCATE, i.base, text="an inner block declares a shared array"))
        amount = k.mul(k.num(state.pipeline.stages), amount)  # a copy for each stage
    context = replace(state.context, used=k.add(state.context.used, amount))
    if space == SHARED:
        enough = k.and_(k.lt(ZERO, k.num(i.bytes)), k.le(context.used, context.shared))
        c.require(state.facts, enough, SharedMemoryExceeded(Operation.ALLOCATE, i.base, context=context))
    names = dict(state.names)
    value = unknown(i.base, take_number(names, i.base, state.block.depth), len(copies) + len(dims), i.sort)
    family = CellFamily(box(i.base, (*copies, *dims)), value, k.FALSE, FULL, owner)
    bases = {**state.bases, i.base: Base(i.sort, (*copies, *dims), space, i.heap, amount, i.limits, layout)}
    held = {**state.held, state.counter: family}
    size = i.bytes if context.kind == HOST else 0  # a group without threads allocates nothing, of whatever size
    facts = c.in_memory(state.facts.learn(sizes), box(i.base, dims), size)
    after = changed(state, facts=facts, bases=bases, held=held, code=state.code[1:])
    return changed(after, counter=state.counter + 1, names=names, context=context)


def free(c: SideConditions, state: State, family: int, forward: Terms) -> State:
    """free(p), or the end of a local's scope.

        r in H (full share),   all cells of a are found in r by `forward`
        -----------------------------------------------------------------
        {F; H, r} free(a) {F; H}

    Side conditions: a was allocated here, in the same way, and by the same kind of context. A group of threads frees default memory
    as one: it has a thread, all its threads own it, and nobody has read it since the last magic barrier.
    A shared array that threads may still be using (it has an owner, or a pending read) keeps its bytes and its name until the next
    block barrier; but not one of a pipelined loop, whose copy is written again only after the iteration that has used it.
    """
    i = next_instruction(state, Release)
    require_known(state, forward)
    base = state.bases.get(i.base)
    if base is None or base.heap != i.heap or any(d is None for d in base.dims):
        raise Rejected(NotAllocated(Operation.FREE, i.base))
    places = {
        SHARED: (TEARDOWN if base.heap else THREADS,),
        REGISTER: (THREADS, MAGIC),
        FRAGMENT: (THREADS,),
        HOST_MEMORY: (HOST, THREADS, MAGIC),
    }
    if state.context.kind not in places.get(base.space, (HOST,)):
        raise Rejected(WrongContext(Operation.FREE, i.base, space=base.space, context=state.context))
    staged = is_staged(state, i.base)
    if base.space == SHARED and is_ahead(state):
        raise Rejected(WrongStage(Operation.FREE, i.base, text="the array ends before the rest of the body uses it"))
    r = family_of(Operation.FREE, state.held, family, i.base, LENT if staged else FULL)
    whole = box(i.base, tuple(d for d in base.dims if d is not None))
    c.require_cells(Operation.FREE, state.facts, whole, r, forward, r.cells.index)
    freed = {n for n, f in state.held.items() if f.cells.base == i.base}
    idle = staged or (r.owner is None and not any(read.family in freed for read in state.pending_reads))
    context = state.context
    if base.space == HOST_MEMORY and context.kind != HOST:
        c.require(state.facts, k.le(k.ONE, context.threads), EmptyGroup(Operation.FREE, i.base, context=context))
        if not idle:
            raise Rejected(StillInUse(Operation.FREE, i.base, context=context))
    if idle:  # only shared memory takes bytes
        context = replace(context, used=k.sub(context.used, base.bytes))
    elif base.space == SHARED:
        context = replace(context, busy=(*context.busy, (i.base, base.bytes)))
    held = {n: f for n, f in state.held.items() if n not in freed}
    bases = {n: b for n, b in state.bases.items() if n != i.base}
    reads = tuple(read for read in state.pending_reads if read.family not in freed)
    return changed(state, held=held, bases=bases, code=state.code[1:], context=context, pending_reads=reads)


def oblige(c: SideConditions, state: State) -> State:
    """The side condition p of a partial operation: F |- p, and p is a fact from here on.

    With unbounded integers, that a number fits is assumed where it is not proved, and the ledger has the instruction.
    """
    i = next_instruction(state, Oblige)
    prop = state.value(i.prop)
    for goal in k.conjuncts(prop):
        if i.why is Obligation.OVERFLOW and c.program.unbounded and not c.judge.proves(state.facts, goal):
            c.ledger.unbounded.add(i.at)
        else:
            c.require(state.facts, goal, UnmetObligation(Operation.OBLIGE, obligation=i.why))
    return changed(state, facts=state.facts.learn(prop), code=state.code[1:])


def assertion(c: SideConditions, state: State, steps: EqualitySteps) -> State:
    """A fact p of the user's: F |- p, and p is a fact from here on."""
    i = next_instruction(state, Assertion)
    require_known(state, steps)
    prop = state.value(i.prop)
    c.require_fact(Operation.ASSERT, state.facts, prop, steps)
    return changed(state, facts=state.facts.assume(prop), code=state.code[1:])


def ghost(c: SideConditions, state: State, takes: tuple[Take, ...], steps: tuple[EqualitySteps, ...]) -> State:
    """A proof step: requires and pre entail post and ensures.

        F |- requires     pre is found in H, and so is post     F, requires |- ensures
        ------------------------------------------------------------------------------
        {F; H} ghost {F, requires, ensures; H}

    In a kernel, the threads that own cells by a claim own them.
    Sound: a state says exactly which cells are held and what they hold, however a claim writes it. So nothing in H changes.
    """
    i = next_instruction(state, GhostStep)
    require_known(state, steps)
    values = {**state.env, GROUP_SIZE: state.context.threads}
    for p in (k.substitute(p, values) for p in i.requires):
        c.require(state.facts, p, UnprovedFact(Operation.GHOST))
        state = changed(state, facts=state.facts.assume(p))
    for side, found in ((i.pre, takes[: len(i.pre)]), (i.post, takes[len(i.pre) :])):
        held = dict(state.held)
        for claim, take in sorted(zip(side, found, strict=True), key=lambda pair: pair[0].share):  # full ones first
            actual = claim.substitute(values)
            r = c.claimed_family(Operation.GHOST, state, held, actual, take)
            require_claimed_owner(c, Operation.GHOST, state, r, actual, take)
            if actual.share == FULL:
                held[take.family] = r.without(member(actual.cells, r, take.back))
    for p, by in zip(state.values(i.ensures), steps, strict=True):
        c.require_fact(Operation.GHOST, state.facts, p, by)
        state = changed(state, facts=state.facts.assume(p))
    return changed(state, code=state.code[1:])
