"""Rules for groups of threads: barriers, shuffles, and weaker pending reads (docs/logic.md, "Threads")."""

from __future__ import annotations

from collections.abc import Callable

from optigpu.kernel.atomic_rules import settled
from optigpu.kernel.causes import (
    NotOwner,
    Operation,
    OutOfOrder,
    Rejected,
    ShuffleOutsideWarp,
    Uninitialised,
    WrongContext,
    WrongShape,
    WrongSpace,
    WrongStage,
)
from optigpu.kernel.context import HOST, MAGIC, TEARDOWN, THREADS, PendingRead, choose_owner, everyone, with_reads
from optigpu.kernel.instructions import GLOBAL, HOST_MEMORY, REGISTER, SHARED, ArrayView, Barrier, Shuffle
from optigpu.kernel.loop_contract import Cover
from optigpu.kernel.pipeline_rules import is_ahead
from optigpu.kernel.side_conditions import SideConditions, arbitrary, family_of, member, next_instruction, require_known
from optigpu.kernel.state import State, changed
from optigpu.kernel.thread_conditions import WARP, require_covered, require_group_size, require_whole_warp
from optigpu.light_dataclass import replace
from optigpu.logic import terms as k
from optigpu.logic.cells import ACCUMULATING, FULL, READ, CellFamily, Cells, Owner, Terms
from optigpu.logic.terms import INT, ONE, ZERO, Term, instantiate_all

SYNCHRONISED = (GLOBAL, SHARED)  # by an instruction
ALL_MEMORY = (*SYNCHRONISED, HOST_MEMORY)  # by a magic barrier, and by the end of the threads


def barrier(c: SideConditions, state: State) -> State:
    """blocksync, warpsync, kernel_teardown_sync: all threads of the group wait for each other.

        F |- threads = T   (blocksync, T threads in a block; for warpsync: threads = 32 and 32 divides T)
        -----------------------------------------------------------------------------------------------
        {F; H; reads} barrier {F; H with the whole group as owner; reads of lent cells}

    Sound: groups are equal parts of equal parts of the grid, so a group of T threads starts at a multiple of T: it is a block, and
    the same for warps. The barrier orders every access of the group before it before every access after it. Of other groups it says
    nothing: see `synchronised`. After a block barrier, shared arrays that went out of scope are in use no more.

    magic_barrier, of a group of any size, and of an iteration of a magic loop, does the same for all memory but registers, and but
    shared memory if the group may have threads of several blocks. It is no instruction: emission refuses it. Default memory is
    synchronised by it alone. In host code, whose magic loops end together, it changes nothing.
    """
    i = next_instruction(state, Barrier)
    if is_ahead(state):
        raise Rejected(
            WrongStage(Operation.BARRIER, text="a barrier stands in the part of a pipelined loop that runs ahead")
        )
    if i.level == "magic":
        if state.context.kind not in (HOST, THREADS, MAGIC):
            raise Rejected(WrongContext(Operation.BARRIER, context=state.context, barrier=i.level))
        after = state if state.context.kind == HOST else synchronised(c, state, in_reach(c, state, ALL_MEMORY))
        return changed(after, code=state.code[1:])
    if i.level == "kernel":  # the end of the threads has ordered all their accesses: see `phase`
        if state.context.kind != TEARDOWN:
            raise Rejected(WrongContext(Operation.LAUNCH, context=state.context, barrier=i.level))
        return changed(state, code=state.code[1:])
    if i.level == "block":
        require_group_size(c, Operation.BARRIER, state, state.context.block, barrier=i.level)
    else:
        require_whole_warp(c, Operation.BARRIER, state, barrier=i.level)
    state = changed(synchronised(c, state, SYNCHRONISED), code=state.code[1:])
    return not_in_use(state) if i.level == "block" else state


def not_in_use(state: State) -> State:
    """Shared arrays that went out of scope are in use no more, once a barrier has ordered what the block's threads did to them."""
    return changed(state, context=replace(state.context, used=state.context.in_scope, busy=()))


def in_reach(c: SideConditions, state: State, spaces: tuple[str, ...]) -> tuple[str, ...]:
    """Those kinds of memory of which every thread of the group may get a cell: shared memory if the group is in one block.

    A group starts at a multiple of its size; so it is in one block if its size divides that of a block.
    """
    threads, block = state.context.threads, state.context.block
    one_block = k.or_(k.eq(threads, block), k.and_(k.le(ONE, threads), k.eq(k.fmod(block, threads), ZERO)))
    if SHARED not in spaces or c.judge.proves(state.facts, one_block):
        return spaces
    return tuple(space for space in spaces if space != SHARED)


def synchronised(c: SideConditions, state: State, spaces: tuple[str, ...]) -> State:
    """Memory of these spaces that the group holds in full belongs to all of it, and its reads are ordered. Other memory stays.

    Threads outside of the group may have accessed what is lent to it: pending reads of that stay, and its owner becomes the group
    only where the owner is inside the group. What a sequential loop lends to its body, the same group holds in full outside.
    Cells to which the threads of the group add are held in full again, if no group around has lent them.
    """
    held = dict(state.held)
    group = everyone(state.context)
    for n, r in state.held.items():
        if state.bases[r.cells.base].space not in spaces:
            continue
        if r.share in ACCUMULATING:
            held[n] = settled(c, state, r) if r.owner is None else r
        elif r.owner is not None:
            if r.share != READ:
                held[n] = replace(r, owner=None)
            else:
                held[n] = replace(r, owner=choose_owner(group.contains(r.owner), group, r.owner))
    families = {n: (r.share, state.bases[r.cells.base].space) for n, r in state.held.items()}
    kept = [r for r in state.pending_reads if families[r.family][0] == READ or families[r.family][1] not in spaces]
    return changed(state, held=held, pending_reads=tuple(kept))


def shuffle(
    c: SideConditions, state: State, source: int, forward: Terms, target: int, forward2: Terms, back: Terms
) -> State:
    """shfl_down, shfl_up, shfl_xor, shfl: lane l of a warp gets in to[l] what lane f(l) has in from[f(l)].

        F |- the group is a warp,  0 <= amount < 32,  r.init,  lane l in r.owner,  w.owner = {lane l}     for all l in 0..32
        ---------------------------------------------------------------------------------------------------------------
        {F; r, w} shuffle {F; r, w with w.value(l) = r.value(f(l))}

    Side conditions: from[0..32] is found in r by `forward`, to[0..32] in w by `forward2` and `back`; both are registers with
    elements of the same type.
    Sound: all lanes read before one writes, and lane l writes its own copy alone. Registers need no pending reads: nobody but their
    thread ever accesses them.
    """
    i = next_instruction(state, Shuffle)
    require_known(state, forward, forward2, back)
    require_whole_warp(c, Operation.SHUFFLE, state)
    amount = state.value(i.amount)
    inside = k.and_(k.le(ZERO, amount), k.lt(amount, k.num(WARP)))
    c.require(state.facts, inside, ShuffleOutsideWarp(Operation.SHUFFLE))
    read, written = (lanes(state, view) for view in (i.source, i.target))
    if state.bases[read.base].limits != state.bases[written.base].limits:
        raise Rejected(WrongShape(Operation.SHUFFLE, written.base))
    r = family_of(Operation.SHUFFLE, state.held, source, read.base, READ)
    w = family_of(Operation.SHUFFLE, state.held, target, written.base, FULL)
    c.require_cells(Operation.SHUFFLE, state.facts, read, r, forward)
    c.require_cells(Operation.SHUFFLE, state.facts, written, w, forward2, back)
    _require_lanes_own(c, state, read, r, forward, write=False)
    _require_lanes_own(c, state, written, w, forward2, write=True)
    other = lane_read(i.op, back[0], amount)
    value = at_choice(other, lambda o: r.value_at(instantiate_all(forward, (o,))))
    new = w.updated(member(written, w, back), value, k.TRUE)
    return changed(state, held={**state.held, target: new}, code=state.code[1:])


def _require_lanes_own(
    c: SideConditions, state: State, cells: Cells, r: CellFamily, forward: Terms, write: bool
) -> None:
    """Lane l owns its register, alone if it writes; if it reads, the register has been written."""
    if state.bases[cells.base].space != REGISTER:
        raise Rejected(WrongSpace(Operation.SHUFFLE, cells.base, space=state.bases[cells.base].space))
    b, inside = arbitrary(state.facts, cells)
    image = instantiate_all(forward, b)
    lane, owner = Owner(b[0], ONE), (r.owner or everyone(state.context)).at(image)
    goal = k.and_(owner.contains(lane), lane.contains(owner) if write else k.TRUE)
    c.require(inside, goal, NotOwner(Operation.SHUFFLE, cells.base))
    if not write:
        c.require(inside, r.init_at(image), Uninitialised(Operation.SHUFFLE, cells.base))


def forget(c: SideConditions, state: State, number: int, wider: PendingRead, cover: Cover) -> State:
    """A pending read is replaced by one that says that more was read, by more threads: a weaker statement."""
    require_known(state, wider, cover.forward)
    require_covered(c, Operation.FORGET, state.facts, state.pending_reads[number], (wider,), cover)
    others = (*state.pending_reads[:number], *state.pending_reads[number + 1 :])
    return changed(state, pending_reads=with_reads(others, wider))


def lanes(state: State, view: ArrayView) -> Cells:
    """The registers of the 32 lanes of a warp."""
    lane = k.bound(0, INT)
    index = (*state.values(view.lead), k.add(state.value(view.shift), lane))
    return Cells(view.base, ((ZERO, k.num(WARP)),), k.TRUE, index)


def lane_read(op: str, lane: Term, amount: Term) -> Term:
    """The lane whose register a lane gets, for an amount in 0..32."""
    match op:
        case "shfl_down":
            return k.ite(k.lt(k.add(lane, amount), k.num(WARP)), k.add(lane, amount), lane)
        case "shfl_up":
            return k.ite(k.le(amount, lane), k.sub(lane, amount), lane)
        case "shfl":
            return amount
        case "shfl_xor" if k.is_num(amount) and amount.data & (amount.data - 1) == 0:  # one bit, or none
            bit = k.fmod(k.fdiv(lane, amount), k.num(2)) if amount.data else ZERO
            return k.add(lane, k.mul(amount, k.sub(ONE, k.scale(2, bit))))
        case "shfl_xor":
            return k.bitwise("bxor", lane, amount)
        case _:
            raise Rejected(OutOfOrder(Operation.SHUFFLE, text="op"))


def at_choice(t: Term, value: Callable[[Term], Term]) -> Term:
    """value(c ? a : b) as c ? value(a) : value(b), which keeps conditions out of conditions."""
    return k.ite(t.args[0], value(t.args[1]), value(t.args[2])) if t.op == "ite" else value(t)
