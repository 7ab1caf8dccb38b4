"""Rules for fragments: products of tiles, and reductions of rows, by a warp or by four warps (docs/logic.md, "Fragments")."""

from __future__ import annotations

from optigpu.kernel.causes import (
    NotOwner,
    Operation,
    Rejected,
    Uninitialised,
    WrongShape,
    WrongSpace,
)
from optigpu.kernel.context import PendingRead, everyone, with_reads
from optigpu.kernel.fragment_layouts import Layout, layout_facts, thread_of, threads_of_row
from optigpu.kernel.instructions import FRAGMENT, ROW_MAX, ROW_SUM, SHARED, MultiplyTiles, ReduceRows, TileView
from optigpu.kernel.side_conditions import (
    SideConditions,
    arbitrary,
    family_of,
    member,
    next_instruction,
    require_known,
)
from optigpu.kernel.state import State, changed
from optigpu.kernel.thread_conditions import fragment_group
from optigpu.logic import terms as k
from optigpu.logic.cells import FULL, READ, CellFamily, Cells, Terms
from optigpu.logic.records import record
from optigpu.logic.terms import INT, REAL, TRUE, ZERO, Term, instantiate_all, shift


@record
class Found:
    """Where needed cells are found: a family, and the maps between the binders; `back` only for cells that are written."""

    family: int
    forward: Terms
    back: Terms = ()


def multiply_tiles(c: SideConditions, state: State, target: Found, left: Found, right: Found) -> State:
    """mma(t, a, b, depth): a group adds a product of two tiles to a fragment.

        F |- the group has fragments together,   t in w (full share),  w.owner(i, j) = the thread of (i, j),   w, a, b initialised
        ---------------------------------------------------------------------------------------------------------------------
        {F; H, w} mma {F; H, w with value(i, j) = w.value(i, j) + Sum(k in 0..depth, a.value(i, k) * b.value(k, j))}

    Side conditions: an operand is in shared memory, where the whole group may read it, and any of its threads may have read it up
    to the next barrier; or it is another fragment, of which the thread of (i, k) has element (i, k).
    Sound: the instruction has been executed when the next one begins. It reads the operands for the group and gives each
    thread the sums of the elements that it has, which it has for itself.
    """
    i = next_instruction(state, MultiplyTiles)
    require_known(state, target, left, right)
    layout = fragment_group(c, Operation.MULTIPLY, state, i.target.base)
    rows, cols, depth = state.values((i.rows, i.cols, i.depth))
    total = tile_cells(state.tile(i.target), rows, cols)
    w = _fragment(c, state, total, target, layout, FULL)
    reads = state.pending_reads
    factors = []
    for view, found, sizes, across in (
        (i.left, left, (rows, depth), i.left_across),
        (i.right, right, (depth, cols), i.right_across),
    ):
        need = tile_cells(state.tile(view), *sizes, across)
        if view.base == i.target.base:
            raise Rejected(WrongShape(Operation.MULTIPLY, view.base))
        if view.base in state.bases and state.bases[view.base].space == FRAGMENT:
            factors.append(_fragment(c, state, need, found, layout, READ))
            continue
        factors.append(_shared_tile(c, state, need, found))
        reads = with_reads(reads, PendingRead(found.family, need, everyone(state.context)))
    a, b = factors
    row, col = (shift(t, 1) for t in target.back)
    x, y = a.value_at(_image(left, row, k.bound(0, INT))), b.value_at(_image(right, k.bound(0, INT), col))
    value = k.add(w.value, k.big("sum", ZERO, depth, k.mul(x, y)))
    new = w.updated(member(total, w, target.back), value, TRUE)
    return changed(state, held={**state.held, target.family: new}, pending_reads=reads, code=state.code[1:])


def reduce_rows(c: SideConditions, state: State, target: Found, source: Found) -> State:
    """frag_row_sum(t, s), frag_row_max(t, s), frag_row_min(t, s): each row of a fragment is added to the vector element of the row.

        F |- the group has fragments together,   t in w (full share),   w, s initialised
        w.owner(i) = the threads of row i,   s.owner(i, j) = the thread of (i, j)
        -------------------------------------------------------------------------------
        {F; H, w} frag_row_sum {F; H, w with value(i) = w.value(i) + Sum(j in 0..cols, s.value(i, j))}

    Sound: the threads of a row exchange what they have of it, and each changes its own copy of the vector's element in the same
    way."""
    i = next_instruction(state, ReduceRows)
    require_known(state, target, source)
    layout = fragment_group(c, Operation.REDUCE_ROWS, state, i.target.base)
    rows, cols = state.values((i.rows, i.cols))
    vector = row_cells(i.target.base, state.values((*i.target.lead, i.target.shift)), rows)
    w = _fragment(c, state, vector, target, layout, FULL)
    need = tile_cells(state.tile(i.source), rows, cols)
    s = _fragment(c, state, need, source, layout, READ)
    row = shift(target.back[0], 1)
    body = s.value_at(_image(source, row, k.bound(0, INT)))
    new = w.updated(member(vector, w, target.back), combined_row(i.operator, w.value, cols, body), TRUE)
    return changed(state, held={**state.held, target.family: new}, code=state.code[1:])


def row_cells(base: str, start: Terms, rows: Term) -> Cells:
    """The cells of a vector with an element for each row, from one of them on."""
    return Cells(base, ((ZERO, rows),), TRUE, (*start[:-1], k.add(start[-1], k.bound(0, INT))))


def combined_row(operator: str, old: Term, cols: Term, body: Term) -> Term:
    """A number with all elements of a row, which are the body for the indices in 0..cols."""
    if operator == ROW_SUM:
        return k.add(old, k.big("sum", ZERO, cols, body))
    if operator == ROW_MAX:
        return k.big("fold_max", ZERO, cols, body, old)
    return k.neg(k.big("fold_max", ZERO, cols, k.neg(body), k.neg(old)))


def tile_cells(view: TileView, rows: Term, cols: Term, across: bool = False) -> Cells:
    """The cells of a tile; the binders are row and column of the operand, whichever way it is stored."""
    i, j = k.bound(1, INT), k.bound(0, INT)
    index = (k.add(view.row, j), k.add(view.col, i)) if across else (k.add(view.row, i), k.add(view.col, j))
    return Cells(view.base, ((ZERO, rows), (ZERO, cols)), TRUE, (*view.lead, *index))


def _image(found: Found, row: Term, col: Term) -> Terms:
    return instantiate_all(found.forward, (row, col))


def _fragment(c: SideConditions, state: State, need: Cells, found: Found, layout: Layout, share: str) -> CellFamily:
    """The family of a fragment or vector of rows: initialised, and owned as the layout of this group says."""
    operation = Operation.REDUCE_ROWS if isinstance(state.next, ReduceRows) else Operation.MULTIPLY
    r = _real_cells(c, operation, state, need, found, share, FRAGMENT)
    b, inside = arbitrary(state.facts, need)
    inside = inside.assume(layout_facts(layout, b))
    wanted = threads_of_row(layout, b[0]) if len(b) == 1 else thread_of(layout, *b)
    owner = (r.owner or everyone(state.context)).at(instantiate_all(found.forward, b))
    c.require(inside, owner.contains(wanted), NotOwner(operation, need.base, cell=need.at(b), other=owner))
    return r


def _shared_tile(c: SideConditions, state: State, need: Cells, found: Found) -> CellFamily:
    """The family of a tile in shared memory: initialised, and all threads of the group may read it."""
    r = _real_cells(c, Operation.MULTIPLY, state, need, found, READ, SHARED)
    if r.owner is not None:
        b, inside = arbitrary(state.facts, need)
        owner = r.owner.at(instantiate_all(found.forward, b))
        goal = owner.contains(everyone(state.context))
        c.require(inside, goal, NotOwner(Operation.MULTIPLY, need.base, cell=need.at(b), other=owner))
    return r


def _real_cells(
    c: SideConditions, operation: Operation, state: State, need: Cells, found: Found, share: str, space: str
) -> CellFamily:
    """Cells of reals in this memory, which have been written, in a family with this share."""
    base = state.bases.get(need.base)
    if base is None or base.space != space or base.sort is not REAL:
        raise Rejected(
            WrongSpace(operation, need.base, space=None if base is None else base.space, context=state.context)
        )
    r = family_of(operation, state.held, found.family, need.base, share)
    back = found.back if share == FULL else None
    c.require_cells(operation, state.facts, need, r, found.forward, back)
    b, inside = arbitrary(state.facts, need)
    c.require(
        inside, r.init_at(instantiate_all(found.forward, b)), Uninitialised(operation, need.base, cells=need, at=b)
    )
    return r
