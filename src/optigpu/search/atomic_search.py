"""What the rules for atomic operations ask for: when a group gives up the plain use of cells, and which cell is changed.

Cells to which iterations of a thread loop add are collected before the loop, by the group that executes it; before a sequential
loop of the group whose iterations end with such operations; and at the end of a branch, if the other branch has collected them.
"""

from __future__ import annotations

from collections.abc import Iterator

from optigpu.kernel import Kernel, Rejected, State
from optigpu.kernel import instructions as kc
from optigpu.kernel.causes import MissingPermission, Operation
from optigpu.kernel.context import HOST, MAGIC
from optigpu.kernel.side_conditions import within
from optigpu.light_dataclass import replace
from optigpu.logic import terms as k
from optigpu.logic.cells import ACCUMULATING, ADDING, FULL, CellFamily, Terms, arguments
from optigpu.logic.facts import Facts
from optigpu.logic.terms import TRUE, Term, instantiate
from optigpu.search.accumulated_arrays import accumulated_in, left_accumulating
from optigpu.search.cell_search import CellSearch
from optigpu.search.failure import information
from optigpu.search.fresh_names import scoped
from optigpu.search.search_causes import ReadOnly, StillAccumulating
from optigpu.search.search_tools import SearchTools


class AtomicSearch:
    """Finds the families that atomic operations change."""

    def __init__(self, tools: SearchTools, kernel: Kernel, cells: CellSearch) -> None:
        self.tools, self.kernel, self.cells = tools, kernel, cells

    def collected(self, state: State, loop: kc.CountedLoop) -> State:
        """Collect the arrays to which the iterations of a loop add."""
        if state.context.kind == MAGIC:
            return state
        if loop.mode != kc.SEQUENTIAL:
            arrays = accumulated_in(loop)
        elif state.context.kind == HOST:  # its parallel loops end together
            return state
        else:
            arrays = left_accumulating(loop.body)
        for n, r in state.held.items():
            operator = arrays.get(r.cells.base)
            if operator is not None and r.share == FULL:
                state = self.kernel.collect(state, n, operator)
        return state

    def agreed(self, yes: State, no: State) -> tuple[State, State]:
        """Collect in each branch what the other one has collected."""
        sides = [yes, no]
        for one, other in ((0, 1), (1, 0)):
            for n, r in sides[one].held.items():
                s = sides[other].held.get(n)
                if r.share in ACCUMULATING and s is not None and s.share == FULL:
                    sides[other] = self.kernel.collect(sides[other], n, r.share)
        return sides[0], sides[1]

    @scoped
    def shown_to_fit(self, state: State) -> State:
        """Restate sums that a barrier makes readable, and that are not seen to fit their type: as sums over one range, or as what
        the contract promises of an array."""
        for n, r in state.held.items():
            limits = state.bases[r.cells.base].limits
            if r.share != ADDING or r.owner is not None or limits is None:
                continue
            xs = self.tools.temporaries(r.cells.arity)
            inside = state.facts.assume(r.cells.domain(xs), r.init_at(xs))
            for value in (r.value_at(xs), *self._forms(state, r, xs, inside)):
                if self.tools.proves(inside, within(value, limits)):
                    stated = k.abstract(value, xs)
                    want = replace(r, value=stated)
                    steps = self.cells.value_steps(state.facts, want, r, arguments(r.cells.arity))
                    try:
                        state = state if stated is r.value else self.kernel.restate(state, n, TRUE, stated, steps)
                    except Rejected:
                        continue
                    break
        return state

    def _forms(self, state: State, r: CellFamily, xs: Terms, inside: Facts) -> Iterator[Term]:
        """Yield other ways to write the contents of a cell, which may be wrong."""
        yield self.cells.equalities.forms.plain(inside, r.value_at(xs))[0]
        block = state.block
        while block.before is not None:
            block = block.before.block
        assert isinstance(block.opened_by, kc.Procedure)
        for claim in block.opened_by.contract.post:
            if claim.value is not None and claim.value.sort is r.value.sort:  # also of an array that this is copied to
                at = (
                    self.tools.invert(claim.cells, r.cells.at(xs), inside)
                    if claim.cells.arity == r.cells.arity
                    else None
                )
                if at is not None:
                    yield instantiate(claim.value, at)

    def accumulate(self, state: State, i: kc.AccumulateCell) -> State:
        """Apply the rule for an atomic operation to the first family for which the kernel accepts it."""
        base, index = i.place.base, state.values(i.place.index)
        families = [n for n, r in state.held.items() if r.cells.base == base]
        shares = {state.held[n].share for n in families}
        if any(share in ACCUMULATING and share != i.operator for share in shares):
            raise Rejected(StillAccumulating(Operation.ATOMIC, base, facts=state.facts))
        rejected: Rejected | None = None
        for n in (n for n in families if state.held[n].share in (FULL, i.operator)):
            at = self.tools.invert(state.held[n].cells, index, state.facts)
            if at is None:
                continue
            try:
                return self.kernel.accumulate(state, n, at)
            except Rejected as r:
                if rejected is None or information(r.cause) > information(rejected.cause):
                    rejected = r
        if rejected is not None:
            raise rejected
        cause = ReadOnly if families else MissingPermission
        raise Rejected(cause(Operation.ATOMIC, base, index=index, facts=state.facts))
