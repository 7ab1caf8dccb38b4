"""Rules for copies of tiles and for pipelined loops (docs/logic.md, "Copies of tiles", "Pipelined loops")."""

from __future__ import annotations

from optigpu.kernel.causes import (
    LeftAhead,
    NotOwner,
    Operation,
    Rejected,
    Uninitialised,
    WrongShape,
    WrongSpace,
    WrongStage,
)
from optigpu.kernel.context import Context, PendingRead, everyone, imaginary, owner_where, with_reads
from optigpu.kernel.fragment_rules import Found, tile_cells
from optigpu.kernel.instructions import GLOBAL, SHARED, AwaitStage, CopyTile
from optigpu.kernel.side_conditions import (
    SideConditions,
    arbitrary,
    family_of,
    member,
    next_instruction,
    require_known,
)
from optigpu.kernel.state import Pipeline, State, changed
from optigpu.kernel.thread_conditions import WARP, require_group_size, require_read_within
from optigpu.light_dataclass import replace
from optigpu.logic import terms as k
from optigpu.logic.cells import ACCUMULATING, FULL, LENT, READ, Cells, Terms
from optigpu.logic.terms import TRUE, ZERO, Term, instantiate_all


def copy_tile(c: SideConditions, state: State, target: Found, source: Found) -> State:
    """tile_load(t, a, …): a block copies a tile of an array in global memory to shared memory, with zeros outside of the array.

        F |- threads = T (of a block),   T > 32
        t in w (full share, owned by the whole block, read by nobody since the last barrier)
        for all (i, j) within the sizes of a:   a(i, j) in r,  r.init,  the whole block owns it
        ------------------------------------------------------------------------------------------------------------------
        {F; H, w} copy {F; H, w with value(i, j) = (i, j) within the sizes of a ? r.value(i, j) : 0, owned by nobody}

    Sound: the copy is under way up to the next barrier of the block, or up to the wait of the pipelined loop around. Until then
    nobody may access its target, and the source has a pending read by all threads. No thread is the whole block, nor is a warp, so
    that neither may write the source, and no barrier of a warp ends the copy.
    """
    i = next_instruction(state, CopyTile)
    require_known(state, target, source)
    require_group_size(c, Operation.COPY, state, state.context.block, base=i.target.base)
    require_several_warps(c, Operation.COPY, state, "a tile is copied")
    rows, cols = state.values((i.rows, i.cols))
    need, inner = (tile_cells(state.tile(view), rows, cols) for view in (i.target, i.source))
    for cells, space in ((need, SHARED), (inner, GLOBAL)):
        base = state.bases.get(cells.base)
        if base is None or base.space != space:
            raise Rejected(
                WrongSpace(
                    Operation.COPY, cells.base, space=None if base is None else base.space, context=state.context
                )
            )
    to, of = state.bases[need.base], state.bases[inner.base]
    if (to.sort, to.limits) != (of.sort, of.limits):
        raise Rejected(WrongShape(Operation.COPY, need.base))
    exists = within_sizes(inner, state.values(i.sizes))
    inner = replace(inner, where=exists)
    w = family_of(Operation.COPY, state.held, target.family, need.base, FULL)
    c.require_cells(Operation.COPY, state.facts, need, w, target.forward, target.back)
    r = family_of(Operation.COPY, state.held, source.family, inner.base, READ)
    c.require_cells(Operation.COPY, state.facts, inner, r, source.forward)
    b, inside = arbitrary(state.facts, inner)
    written = r.init_at(instantiate_all(source.forward, b))
    c.require(inside, written, Uninitialised(Operation.COPY, inner.base, cells=inner, at=b))
    for cells, family, found in ((need, w, target), (inner, r, source)):
        if family.owner is not None:
            b, inside = arbitrary(state.facts, cells)
            owner = family.owner.at(instantiate_all(found.forward, b))
            goal = owner.contains(everyone(state.context))
            c.require(inside, goal, NotOwner(Operation.COPY, cells.base, cell=cells.at(b), other=owner))
    for read in state.pending_reads:
        if read.family == target.family:
            require_read_within(c, state, need, read, None, Operation.COPY)
    zero = k.num(0, to.sort)
    value = k.ite(k.instantiate(exists, target.back), r.value_at(instantiate_all(source.forward, target.back)), zero)
    here = member(need, w, target.back)
    new = replace(w.updated(here, value, TRUE), owner=owner_where(state.context, here, imaginary(), w.owner))
    reads = with_reads(state.pending_reads, PendingRead(source.family, inner, everyone(state.context)))
    return changed(state, held={**state.held, target.family: new}, pending_reads=reads, code=state.code[1:])


def within_sizes(cells: Cells, sizes: Terms) -> Term:
    """Is an element of a tile one of a matrix with these sizes?"""
    return k.and_(*(k.and_(k.le(ZERO, x), k.lt(x, n)) for x, n in zip(cells.index[-2:], sizes)))


def require_several_warps(c: SideConditions, operation: Operation, state: State, what: str) -> None:
    """The block has more than a warp of threads."""
    text = f"{what} by a block of more than {WARP} threads, which this one is not shown to be"
    c.require(state.facts, k.lt(k.num(WARP), state.context.block), WrongStage(operation, text=text))


def run_ahead(state: State, stages: int) -> State:
    """The start of the body of a pipelined loop: what the loop changes is out of sight until the body waits.

    So the part before the wait depends only on the iteration, and on memory that nobody changes as long as the loop runs; and it
    changes only shared arrays that the body declares in it, of which each of the last `stages` iterations has its own.
    """
    if stages < 1 or (state.pipeline is not None and state.pipeline.ahead):
        raise Rejected(
            WrongStage(Operation.LOOP, text="a pipelined loop stands in the part of another one that runs ahead")
        )
    hidden = tuple((n, r) for n, r in state.held.items() if r.share == FULL or r.share in ACCUMULATING)
    numbers = {n for n, _ in hidden}
    reads = tuple(read for read in state.pending_reads if read.family in numbers)
    pipeline = Pipeline(stages, state.block.token, True, (), hidden, reads, state.pipeline)
    held = {n: r for n, r in state.held.items() if n not in numbers}
    return changed(
        state, pipeline=pipeline, held=held, pending_reads=tuple(r for r in state.pending_reads if r not in reads)
    )


def await_stage(c: SideConditions, state: State) -> State:
    """pipeline_wait(): the block waits for what the body of a pipelined loop has made so far, which may have run ahead.

        {F; H lent to the loop, S} wait {F; H, what the loop changes, S lent to the block, owned by all of it}

    Side conditions: all that was declared since the start of the body are the shared arrays S, whose sizes are numbers; nobody adds
    to them.
    Sound: let iteration v up to here be p(v), and the rest c(v). p(v) reads only what no iteration changes, and writes only S,
    which c(v) does not write. So p(v) commutes with c(u) and p(u) for all u < v: it does the same when it runs earlier, after c(v
    - stages), which was the last to use that copy of S, and before c(v). The wait orders p(v) before c(v) for every thread of the
    block, and orders nothing else.
    """
    next_instruction(state, AwaitStage)
    p, before = state.pipeline, state.block.before
    if p is None or before is None or not p.ahead or p.home is not state.block.token:
        raise Rejected(WrongStage(Operation.BARRIER, text="this is not the body of a pipelined loop that waits once"))
    made = tuple(name for name in state.bases if name not in before.bases)
    for name in made:
        if state.bases[name].space != SHARED:
            raise Rejected(LeftAhead(Operation.BARRIER, name, space=state.bases[name].space))
        if not k.is_num(state.bases[name].bytes):
            raise Rejected(
                WrongStage(Operation.BARRIER, name, text="the sizes of an array with a copy for each stage are numbers")
            )
    for r in state.held.values():
        if r.cells.base in made and r.share in ACCUMULATING:
            text = "threads add to an array in the part of a pipelined loop that runs ahead"
            raise Rejected(WrongStage(Operation.BARRIER, r.cells.base, text=text))
    held = {n: replace(r, share=LENT, owner=None) if r.cells.base in made else r for n, r in state.held.items()}
    reads = (r for r in state.pending_reads if state.held[r.family].cells.base not in made)
    arrays = tuple((name, state.bases[name].bytes) for name in made)
    after = replace(p, ahead=False, arrays=arrays, hidden=(), reads=())
    return changed(
        state, pipeline=after, held={**held, **dict(p.hidden)}, pending_reads=(*reads, *p.reads), code=state.code[1:]
    )


def is_ahead(state: State) -> bool:
    """Does this code run ahead of the rest of a pipelined loop?"""
    return state.pipeline is not None and state.pipeline.ahead


def is_staged(state: State, base: str) -> bool:
    """Is it a shared array of a pipelined loop, in the part of the body that uses it?"""
    p = state.pipeline
    while p is not None and all(base != name for name, _ in p.arrays):
        p = p.around
    return p is not None


def still_in_use(context: Context, end: State) -> Context:
    """The context after a pipelined loop, from the end of its body: threads may still use the last copies of its arrays, until the
    next barrier of the block."""
    p = end.pipeline
    assert p is not None
    return replace(context, used=k.add(context.used, *(size for _, size in p.arrays)), busy=(*context.busy, *p.arrays))
