"""What thread loops add to the rules for loops: who executes an iteration, and who may access its cells then and afterwards."""

from __future__ import annotations

from optigpu.kernel.causes import (
    NotOwner,
    Operation,
    Rejected,
    SharedMemoryInUse,
    UncoveredRead,
    UnequalParts,
    WrongContext,
    WrongShape,
    WrongSpace,
    unproved,
)
from optigpu.kernel.context import (
    HOST,
    MAGIC,
    NOWHERE,
    THREADS,
    Context,
    PendingRead,
    PendingReads,
    choose_owner,
    everyone,
    imaginary,
    with_reads,
)
from optigpu.kernel.fragment_layouts import facts_of_cell, layout_facts, thread_of, threads_of_row
from optigpu.kernel.instructions import (
    FRAG,
    FRAGMENT,
    IN_SEQUENCE,
    MAGIC_THREAD,
    PARALLEL,
    PIPELINED,
    REGISTER,
    THREAD,
    CountedLoop,
)
from optigpu.kernel.iterations import IterationRange
from optigpu.kernel.loop_contract import Cover, Division, EnteredLoop, Exclusive, LoopContract
from optigpu.kernel.pipeline_rules import require_several_warps
from optigpu.kernel.side_conditions import SideConditions, arbitrary, next_instruction, require_known
from optigpu.kernel.state import State
from optigpu.kernel.thread_conditions import (
    counted_outside,
    fragment_group,
    read_by_all,
    require_covered,
    require_group_size,
    require_outlives,
)
from optigpu.light_dataclass import replace
from optigpu.logic import terms as k
from optigpu.logic.cells import READ, CellFamily, Owner
from optigpu.logic.terms import INT, ONE, ZERO, Term, instantiate


def group_of_iteration(
    c: SideConditions, state: State, loop: CountedLoop, contract: LoopContract, range_: IterationRange, v: Term
) -> tuple[Context, Term, Division | None]:
    """Who executes iteration v, its first thread, and how the group is divided: N iterations of a thread loop are N equal parts.

    An iteration of a magic thread loop in a kernel is executed by no thread, but by an imaginary group that acts as one. A
    pipelined loop is executed by a block.
    """
    context = state.context
    if loop.mode in IN_SEQUENCE and context.kind in (HOST, THREADS, MAGIC):
        if loop.mode == PIPELINED:
            require_group_size(c, Operation.LOOP, state, context.block)
            require_several_warps(c, Operation.LOOP, state, "a pipelined loop is run")
        return context, ZERO, None
    if loop.mode in (PARALLEL, MAGIC_THREAD) and context.kind == HOST:
        return context, ZERO, None
    if loop.mode == MAGIC_THREAD and context.kind in (THREADS, MAGIC):
        return replace(context, kind=MAGIC), NOWHERE, None
    if loop.mode not in (THREAD, FRAG) or context.kind != THREADS or (loop.mode == THREAD and context.row is not None):
        raise Rejected(WrongContext(Operation.LOOP, context=context, mode=loop.mode))
    if loop.mode == FRAG:
        division, row = _division_by_layout(c, state, range_, v)
    else:
        division, row = _equal_parts(c, state, contract, range_), None
    part = division.part(v)
    return replace(context, threads=part.size, row=row), part.start, division


def _equal_parts(c: SideConditions, state: State, contract: LoopContract, range_: IterationRange) -> Division:
    """The iterations of a thread loop, counted from 0, are equal parts of the group."""
    context = state.context
    part = state.facts.simplify(contract.part if contract.part is not None else ONE)
    goal = k.and_(k.eq(k.mul(range_.high, part), context.threads), k.le(ZERO, part))
    if range_.low is not ZERO or range_.index is not k.bound(0, INT):
        raise unproved(UnequalParts(Operation.LOOP, context=context, extent=range_.high), state.facts, goal)
    c.require(state.facts, goal, UnequalParts(Operation.LOOP, context=context, extent=range_.high))
    return Division(k.mul(k.bound(0, INT), part), part)


def _division_by_layout(
    c: SideConditions, state: State, range_: IterationRange, v: Term
) -> tuple[Division, tuple[int, Term] | None]:
    """Who executes an iteration of a loop over fragments, and the row inside it. The outer loop is over rows: all threads of the
    row execute it, one iteration after the other. The inner one is over the elements of that row: each is for the thread that has
    it."""
    if range_.index is not k.bound(0, INT):
        raise Rejected(WrongShape(Operation.LOOP))
    if state.context.row is None:
        layout = fragment_group(c, Operation.FRAGMENT, state)
        part = threads_of_row(layout, k.bound(0, INT))
        return Division(part.start, part.size, layout_facts(layout, (k.bound(0, INT),))), (layout, v)
    layout, row = state.context.row
    index = row, k.bound(0, INT)
    first = k.sub(thread_of(layout, *index).start, threads_of_row(layout, row).start)
    return Division(first, ONE, layout_facts(layout, index)), None


def owner_inside(c: SideConditions, state: State, r: CellFamily, x: Exclusive, entered: EnteredLoop) -> Owner | None:
    """The owner of exclusive cells inside the iteration, under v and their binders.

    Either all threads of the iteration own the cells already (`whole`), or all owners are threads of the iteration. An iteration of
    a magic loop takes cells that all threads of the group around the loop own, and no registers: these belong to threads.
    """
    context = entered.context
    space = state.bases[x.cells.base].space
    if entered.first is NOWHERE and space in (REGISTER, FRAGMENT):
        raise Rejected(WrongSpace(Operation.LOOP, x.cells.base, space=space, context=context))
    if r.owner is None:
        return None
    if entered.first is NOWHERE:
        b, inside = arbitrary(state.facts, x.cells)
        owner = r.owner.at(x.forward).at(b)
        cause = NotOwner(Operation.LOOP, x.cells.base, cell=x.cells.at(b), first=ZERO, other=owner)
        c.require(inside, owner.contains(everyone(context)), cause)
        return None
    assert entered.division is not None
    part = entered.division.part(k.bound(x.cells.arity - 1, INT))
    owner = r.owner.at(x.forward).moved(k.neg(part.start))
    b, inside = arbitrary(state.facts, x.cells)
    inside = inside.assume(instantiate(entered.division.known, b[:1]))
    inside = inside.assume(facts_of_cell(state.bases[x.cells.base].layout, x.cells.at(b)))
    owners, group = owner.at(b), Owner(ZERO, instantiate(part.size, b))
    goal = owners.contains(group) if x.whole else group.contains(owners)
    begin = instantiate(part.start, b)
    cell, other = x.cells.at(b), owners.moved(begin)
    c.require(inside, goal, NotOwner(Operation.LOOP, x.cells.base, cell=cell, first=begin, other=other))
    return None if x.whole else owner


def lent_owner(state: State, entered: EnteredLoop, r: CellFamily) -> Owner | None:
    """The owner, counted inside an iteration, of cells that are lent to it.

    An iteration of a magic loop may read what all threads of the group around the loop own. Of other cells it is no owner, and
    they are in no group of which it could execute a barrier.
    """
    if r.owner is None or entered.first is not NOWHERE:
        return r.owner and r.owner.moved(k.neg(entered.first))
    group = everyone(state.context)
    return choose_owner(r.owner.contains(group), group, imaginary())


def invariant_reads(contract: LoopContract, v: Term) -> PendingReads:
    """The pending reads that the contract states for the start of iteration v; they are of invariant families."""
    families = {i.family for i in contract.invariant}
    if any(read.family not in families for read in contract.pending_reads):
        raise Rejected(UncoveredRead(Operation.LOOP))
    return tuple(read.under((v,)) for read in contract.pending_reads)


def require_owned_by(c: SideConditions, operation: Operation, state: State, r: CellFamily, owner: Owner | None) -> None:
    """These threads (None: all of the group) own the cells of r. A stated owner is not empty: `handed_over` says why."""
    if r.owner == owner:
        return
    b, inside = arbitrary(state.facts, r.cells)
    inside = inside.assume(facts_of_cell(state.bases[r.cells.base].layout, r.cells.at(b)))
    actual, stated = (everyone(state.context) if o is None else o.at(b) for o in (r.owner, owner))
    goal = k.and_(actual.contains(stated), k.TRUE if owner is None else k.le(ONE, stated.size))
    c.require(inside, goal, NotOwner(operation, r.cells.base, context=state.context))


def owner_outside(before: State, entered: EnteredLoop, r: CellFamily) -> Owner | None:
    """The owner of exclusive cells after the loop, under v and their binders: as inside, counted in the group of the loop.

    What an iteration of a magic loop has accessed belongs to nobody, until a magic barrier of the group.
    """
    threads = entered.context.threads
    if entered.first is not NOWHERE and entered.context == before.context and r.owner is None:
        return None
    owner = counted_outside(r.owner or Owner(ZERO, threads), entered.first)
    require_outlives(before, entered.v, owner.start, owner.size)
    return owner.over(entered.v, r.cells.arity)


def context_after(before: State, end: State, entered: EnteredLoop) -> Context:
    """The context after the loop: the body ends in the context in which it began.

    Only blocks may leave shared memory allocated, until the kernel ends: iterations of a thread loop have different threads (or
    there is only one iteration), those of a sequential loop have the same.
    """
    if replace(end.context, used=entered.context.used, busy=entered.context.busy) != entered.context:
        raise Rejected(WrongContext(Operation.LEAVE, context=end.context))
    if end.context != entered.context:
        if next_instruction(before, CountedLoop).mode != THREAD:
            raise Rejected(SharedMemoryInUse(Operation.LEAVE, context=end.context))
        require_known(before, end.context.used, *(size for _, size in end.context.busy))
    return replace(before.context, used=end.context.used, busy=end.context.busy)


def reads_after_loop(
    c: SideConditions,
    before: State,
    end: State,
    entered: EnteredLoop,
    outer: dict[int, int],
    covers: tuple[Cover, ...],
) -> PendingReads:
    """The pending reads after a loop: those before it, and those of the iterations.

    On invariant families they are those of the contract, which cover what the end of the body leaves. On other families they do
    not restrict the body, so what one iteration leaves, all leave. `outer`: families of the body -> families outside.
    """
    contract, range_, v = entered.contract, entered.range, entered.v
    invariant = {i.family for i in contract.invariant}
    checked = [read for read in end.pending_reads if read.family in invariant]
    at_end = invariant_reads(contract, k.add(v, ONE))
    for read, cover in zip(checked, covers, strict=True):
        require_covered(c, Operation.LEAVE, end.facts, read, at_end, cover)
    reads = tuple(read for read in before.pending_reads if read.family not in invariant)
    reads = with_reads(reads, *invariant_reads(contract, range_.end))
    for read in end.pending_reads:
        if read.family in invariant or read in entered.pending_reads:
            continue
        of_all = read_by_all(before, read, v, range_.low, range_.high, entered.first)
        reads = with_reads(reads, replace(of_all, family=outer.get(read.family, read.family)))
    if before.context.threads is ONE:  # a thread's own reads do not restrict it; those of magic loops do
        return tuple(r for r in reads if before.held[r.family].share == READ or not _of_the_group(c, before, r))
    return reads


def _of_the_group(c: SideConditions, state: State, read: PendingRead) -> bool:
    """Are all readers threads of the group? That is shown, however the read is written; nothing is known of the imaginary one."""
    b, inside = arbitrary(state.facts, read.cells)
    return c.judge.proves(inside, everyone(state.context).contains(read.reader.at(b)), count=False)
