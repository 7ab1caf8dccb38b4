"""Side conditions about threads: who may access a cell, and who has read it since the last barrier (docs/logic.md, "Threads")."""

from __future__ import annotations

from optigpu.kernel.causes import (
    EmptyGroup,
    NotOwner,
    NoWholeWarps,
    Operation,
    Rejected,
    UncoveredRead,
    UnorderedRead,
    WrongContext,
    WrongGroup,
    WrongSpace,
)
from optigpu.kernel.context import (
    HOST,
    MAGIC,
    NOWHERE,
    THREADS,
    Context,
    PendingRead,
    PendingReads,
    everyone,
    imaginary,
    with_reads,
)
from optigpu.kernel.fragment_layouts import GROUPS, Layout, fragment_owner
from optigpu.kernel.instructions import DEVICE, FRAGMENT, GLOBAL, HOST_MEMORY, REGISTER, SHARED, Allocate
from optigpu.kernel.loop_contract import Cover
from optigpu.kernel.side_conditions import SideConditions, Take, arbitrary, require_known, terms_of
from optigpu.kernel.state import State
from optigpu.light_dataclass import replace
from optigpu.logic import terms as k
from optigpu.logic.cells import FULL, READ, CellClaim, CellFamily, Cells, Owner, Terms, same, single
from optigpu.logic.facts import Facts
from optigpu.logic.terms import INT, ONE, TRUE, ZERO, Term, instantiate, instantiate_all

DEVICE_MEMORY = (GLOBAL, SHARED, REGISTER, DEVICE)
ACCESSIBLE = {  # memory, by who executes; host memory is the default memory, which a kernel uses until it is converted
    HOST: (HOST_MEMORY,),
    THREADS: (*DEVICE_MEMORY, FRAGMENT, HOST_MEMORY),
    MAGIC: (HOST_MEMORY, REGISTER),
}
PRIVATE = (REGISTER, FRAGMENT)  # memory of which each thread has its own copy, which nobody else ever accesses
WARP = 32
ANY_LAUNCH = (
    k.rule_var("gridDim", 0, INT),
    k.rule_var("blockDim", 0, INT),
    k.rule_var("sharedBytes", 0, INT),
    k.rule_var("sharedLeft", 0, INT),
)  # the launch around a device function, in its contract: as `launch_of` has it for a group


def launch_of(context: Context) -> Terms:
    """Blocks, threads of a block, bytes of shared memory of a block, and how many of these are not allocated."""
    return context.grid, context.block, context.shared, k.sub(context.shared, context.used)


def any_launch(threads: Term) -> Context:
    """A group of threads of a launch of which nothing is known: the context in which a device function is proved."""
    grid, block, shared, left = ANY_LAUNCH
    return Context(THREADS, threads, grid, block, shared, k.sub(shared, left))


def require_reach(operation: Operation, state: State, base: str, called: bool = False) -> None:
    """The memory is one that whoever executes here can access; `called`: that a device function can, which has none of the host."""
    spaces = DEVICE_MEMORY if called else ACCESSIBLE.get(state.context.kind, ())
    if base in state.bases and state.bases[base].space not in spaces:
        raise Rejected(WrongSpace(operation, base, space=state.bases[base].space, context=state.context))


def require_group_size(
    c: SideConditions,
    operation: Operation,
    state: State,
    size: Term,
    base: str = "",
    function: str | None = None,
    barrier: str | None = None,
) -> None:
    """The current group has `size` threads."""
    if state.context.kind != THREADS:
        raise Rejected(WrongContext(operation, base, context=state.context, function=function, barrier=barrier))
    goal = k.eq(state.context.threads, size)
    wrong = WrongGroup(operation, base, context=state.context, size=size, function=function, barrier=barrier)
    c.require(state.facts, goal, wrong)


def require_whole_warp(c: SideConditions, operation: Operation, state: State, barrier: str | None = None) -> None:
    """The current group is a warp: it has 32 threads, and 32 divides the block, so that it starts at a multiple of 32."""
    require_group_size(c, operation, state, k.num(WARP), barrier=barrier)
    whole = k.eq(k.fmod(state.context.block, k.num(WARP)), ZERO)
    c.require(state.facts, whole, NoWholeWarps(operation, context=state.context))


def fragment_group(c: SideConditions, operation: Operation, state: State, base: str = "", parts: Term = ONE) -> Layout:
    """The equal parts of the current group have fragments together: each is a warp, or has 128 threads, which divide the block, so
    that it is four warps from a multiple of four on. No row of fragments is being executed: that is by an unknown part of such a
    group."""
    context = state.context
    sizes = {n: state.facts.simplify(k.mul(k.num(n), parts)) for n in GROUPS}
    layout = next((n for n in GROUPS if state.facts.simplify(context.threads) is sizes[n]), GROUPS[0])
    require_group_size(c, operation, state, sizes[layout], base=base)
    whole = k.eq(k.fmod(context.block, k.num(layout)), ZERO)
    c.require(state.facts, whole, NoWholeWarps(operation, base, context=context))
    if context.row is not None:
        raise Rejected(WrongContext(operation, base, context=context))
    return layout


def memory_of(
    c: SideConditions, state: State, i: Allocate
) -> tuple[str, Terms, Owner | None, tuple[Layout, int] | None]:
    """The space of an allocation, the number of its copies as a first dimension, and the owner of each copy; with the layout of
    fragments.

    Shared memory has a copy in each block, registers have one in each thread. Where the current group is larger, a first dimension
    numbers the copies, and copy b belongs to block (or thread) b. A plain local of threads is a register that holds the same value
    in all of them; in an iteration of a magic loop it is private to the iteration. A group allocates default memory as one.
    """
    context, first = state.context, k.bound(len(i.dims), INT)
    match i.space, i.heap, i.distributed, context.kind:
        case ("Any", _, False, "host") | ("GMem", True, False, "host"):
            return i.space, (), None, None
        case "Any", False, False, "threads" | "magic":
            return REGISTER, (), None, None
        case "Any", True, False, "threads" | "magic":
            return i.space, (), None, None
        case "SMem", True, True, "setup":
            return SHARED, (context.grid,), Owner(k.mul(first, context.block), context.block), None
        case "SMem", False, False, "threads":
            require_group_size(c, Operation.ALLOCATE, state, context.block, base=i.base)
            return SHARED, (), None, None
        case "Frag", False, False, "threads":
            layout, rank = fragment_group(c, Operation.FRAGMENT, state, i.base), len(i.dims)
            return FRAGMENT, (), fragment_owner(layout, rank), (layout, rank)
        case "Frag", False, True, "threads":
            groups, rank = state.value(i.groups), len(i.dims)
            layout = fragment_group(c, Operation.FRAGMENT, state, i.base, groups)
            owner = fragment_owner(layout, rank).moved(k.mul(first, k.num(layout)))
            return FRAGMENT, (groups,), owner, (layout, rank)
        case "TReg", False, True, "threads":
            return REGISTER, (context.threads,), Owner(first, ONE), None
        case _:
            raise Rejected(WrongContext(Operation.ALLOCATE, i.base, space=i.space, context=context))


def require_access(
    c: SideConditions, operation: Operation, state: State, r: CellFamily, at: Terms, write: bool
) -> None:
    """All threads of the group own the cell of r at these binders; a write is by one thread.

    A register has a copy in each thread, so writing the same value to all copies is no race. On default memory a group of any size
    acts as one: it stores once, after what the same group has loaded and stored as one. It has to have a thread, and nobody else
    may have read the cell since the last magic barrier: neither a part of the group nor a magic loop.
    """
    base = r.cells.base
    if state.context.kind == HOST:
        return
    if r.owner is not None:
        goal = r.owner.at(at).contains(everyone(state.context))
        c.require(state.facts, goal, NotOwner(operation, base, cell=r.cells.at(at), other=r.owner.at(at)))
    if write and state.bases[base].space == HOST_MEMORY:
        c.require(state.facts, k.le(ONE, state.context.threads), EmptyGroup(operation, base, context=state.context))
        cell = single(base, r.cells.at(at))
        for read in state.pending_reads:
            if state.held[read.family] is r:
                require_read_within(c, state, cell, read, None, operation)
    elif write and state.bases[base].space not in PRIVATE:
        require_group_size(c, operation, state, ONE, base=base)


def reads_after(state: State, family: int, cells: Cells) -> PendingReads:
    """The pending reads after the group has read cells. A single thread that reads cells it holds in full adds none.

    Neither does a group on default memory: it loads as one, before everything that its threads do afterwards.
    """
    r, context = state.held[family], state.context
    as_one = context.threads is ONE or state.bases[r.cells.base].space == HOST_MEMORY
    own = as_one and r.share != READ
    if context.kind == HOST or own or state.bases[r.cells.base].space in PRIVATE:
        return state.pending_reads
    return with_reads(state.pending_reads, PendingRead(family, cells, everyone(context)))


def require_covered(
    c: SideConditions, operation: Operation, facts: Facts, read: PendingRead, by: PendingReads, cover: Cover
) -> None:
    """Another pending read says at least as much: the same cells, read by the same threads or more."""
    wider = by[cover.read] if 0 <= cover.read < len(by) else None
    if wider is None or wider.family != read.family or len(cover.forward) != wider.cells.arity:
        raise Rejected(UncoveredRead(operation, read.cells.base))
    b, inside = arbitrary(facts, read.cells)
    image = instantiate_all(cover.forward, b)
    goal = k.and_(wider.cells.domain(image), same(wider.cells.at(image), read.cells.at(b)))
    goal = k.and_(goal, wider.reader.at(image).contains(read.reader.at(b)))
    c.require(inside, goal, UncoveredRead(operation, read.cells.base))


def require_read_within(
    c: SideConditions,
    state: State,
    cells: Cells,
    read: PendingRead,
    part: Owner | None,
    operation: Operation = Operation.LOOP,
    known: Term = TRUE,
) -> None:
    """Whoever has read one of the cells is in the part of the group that takes it. `part`, and `known`, which holds of every part,
    are terms under the cells' binders.

    No part: nobody has read one of them. An iteration of a magic loop takes cells like this.
    """
    b, inside = arbitrary(state.facts, cells)
    inside = inside.assume(instantiate(known, b))
    other, inside = arbitrary(inside, read.cells)
    inside = inside.assume(same(cells.at(b), read.cells.at(other)))
    reader = read.reader.at(other)
    goal = k.FALSE if part is None else part.at(b).contains(reader)
    first = ZERO if part is None else part.at(b).start
    c.require(inside, goal, UnorderedRead(operation, cells.base, cell=cells.at(b), first=first, other=reader))


def require_handover(
    c: SideConditions, operation: Operation, state: State, r: CellFamily, claim: CellClaim, take: Take
) -> None:
    """Cells of r pass between the group and its callee: the threads that own them by the claim own them already.

        for all b:  {} != claim.owner(b), part of r.owner(forward(b)) and of the group
        full share: each pending read of the cell is by the only thread of claim.owner(b)

    By the first line, nobody gains access. By the second, no pending read says more than the owner does, so that they can be
    dropped. An empty owner would be part of every other one: the next barrier would hand the cell to threads that never had it.
    """
    b, inside = arbitrary(state.facts, claim.cells)
    group = everyone(state.context)
    new, at = (claim.owner or group).at(b), instantiate_all(take.forward, b)
    old = group if r.owner is None else r.owner.at(at)
    goal = k.and_(old.contains(new), group.contains(new), k.le(ONE, new.size))
    base, cell = claim.cells.base, claim.cells.at(b)
    c.require(inside, goal, NotOwner(operation, base, cell=cell, first=new.start, other=old))
    for read in state.pending_reads:
        if read.family == take.family and claim.share == FULL:
            other, both = arbitrary(inside, read.cells)
            both = both.assume(same(claim.cells.at(b), read.cells.at(other)))
            reader = read.reader.at(other)
            goal = k.and_(k.eq(new.size, ONE), new.contains(reader))
            c.require(both, goal, UnorderedRead(operation, base, cell=cell, first=new.start, other=reader))


def require_claimed_owner(
    c: SideConditions, operation: Operation, state: State, r: CellFamily, claim: CellClaim, take: Take
) -> None:
    """The threads that own cells of r by the claim of a proof step (without an owner: the whole group) own them.

    The imaginary owner, in the contract of a magic loop, says nothing of threads.
    """
    if claim.owner == imaginary():
        return
    if state.context.kind not in (THREADS, MAGIC):
        if claim.owner is not None:
            raise Rejected(WrongContext(operation, claim.cells.base, context=state.context))
        return
    b, inside = arbitrary(state.facts, claim.cells)
    group = everyone(state.context)
    stated = group if claim.owner is None else claim.owner.at(b)
    actual = group if r.owner is None else r.owner.at(instantiate_all(take.forward, b))
    goal = k.and_(actual.contains(stated), k.le(ONE, stated.size))
    c.require(
        inside, goal, NotOwner(operation, claim.cells.base, cell=claim.cells.at(b), first=stated.start, other=actual)
    )


def require_outlives(before: State, v: Term, *ts: Term) -> None:
    """Terms at the end of a loop's body mention only what existed before the loop, and the iteration v."""
    require_known(before, tuple(k.substitute(t, {v: ZERO}) for t in ts))


def counted_outside(owner: Owner, first: Term) -> Owner:
    """Threads of an iteration that begins at thread `first`, counted in the group around the loop."""
    return imaginary() if first is NOWHERE else owner.moved(first)


def read_by_all(before: State, read: PendingRead, v: Term, low: Term, high: Term, first: Term) -> PendingRead:
    """What iteration v, whose threads begin at `first`, has read, for all v in low..high."""
    require_outlives(before, v, *terms_of(read))
    return replace(read, reader=counted_outside(read.reader, first)).over(v, low, high)
