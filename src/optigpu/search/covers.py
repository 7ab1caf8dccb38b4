"""Footprints of iterations: one set of cells for an iteration that writes in pieces, under conditions, or reads besides. Untrusted.

`if (i > 0) a[i][0] = 1; a[i][1] = a[i][0];` gets all of row i, in which every cell is either written or keeps its value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from optigpu.light_dataclass import replace
from optigpu.logic import terms as k
from optigpu.logic.cells import CellFamily, Cells, Terms, arguments, same
from optigpu.logic.facts import Facts
from optigpu.logic.terms import TRUE, Term, instantiate
from optigpu.search.explore.loop_effects import LoopSummary, OwnCells, is_injective, same_but_for_guard
from optigpu.search.explore.symbolic_memory import Update
from optigpu.search.search_tools import SearchTools


class CoverSearch:
    """Finds the footprint of an iteration for one effect of a loop, within one family."""

    def __init__(self, tools: SearchTools, summary: LoopSummary, family: CellFamily) -> None:
        self.tools, self.summary, self.family = tools, summary, family

    def cover(self, effect: OwnCells, reads: Sequence[Cells]) -> Cells | None:
        """Find cells that contain all that iteration v writes and reads of the base. Return None if its pieces do not need that."""
        updates = [u.cells for u in effect.updates]
        disjoint = all(self.disjoint(a, b) for i, a in enumerate(updates) for b in updates[i + 1 :])
        if disjoint and all(self.reads_inside_or_outside(c, updates) for c in reads):
            return None
        for candidate in self.candidates(updates, reads):
            inside = all(self.within(c, candidate) for c in updates)
            if (
                inside
                and self.separates_iterations(candidate)
                and all(self.reads_inside_or_outside(c, [candidate]) for c in reads)
            ):
                return candidate
        return None

    def candidates(self, updates: Sequence[Cells], reads: Sequence[Cells]) -> Iterator[Cells]:
        """Yield each piece without its guard; then all cells of the family with the indices that the iteration fixes."""
        for c in (*updates, *reads):
            yield replace(c, where=TRUE)
        v, family = self.summary.v, self.family.cells
        if family.index != arguments(family.arity) or family.where is not TRUE:
            return
        fixed: dict[int, Term] = {}  # indices that depend on the iteration alone
        for p, e in enumerate(updates[0].index):
            if e.level == 0 and v in e.free and all(c.index[p] is e for c in updates):
                fixed[p] = e
        free = [p for p in range(family.arity) if p not in fixed]
        xs = self.tools.temporaries(len(free))
        at = dict(zip(free, xs)) | fixed
        index = tuple(k.abstract(at[p], xs) for p in range(family.arity))
        if any(t.level for r in family.ranges for t in r):
            return
        yield Cells(family.base, tuple(family.ranges[p] for p in free), TRUE, index)

    def within(self, c: Cells, wider: Cells) -> bool:
        """Are all cells of the first set in the second?"""
        xs = self.tools.temporaries(c.arity)
        inside = self.summary.facts.assume(c.domain(xs))
        at = self.tools.invert(wider, c.at(xs), inside)
        return at is not None and self.tools.proves(inside, k.and_(wider.domain(at), same(wider.at(at), c.at(xs))))

    def disjoint(self, a: Cells, b: Cells) -> bool:
        """Have two sets no cell in common?"""
        xs, ys, facts = self.tools.temporaries(a.arity), self.tools.temporaries(b.arity), self.summary.facts
        if same_but_for_guard(a, b) and is_injective(self.tools, facts, replace(a, where=TRUE)):
            return self.tools.proves(facts.assume(a.domain(xs)), k.not_(b.domain(xs)))
        both = facts.assume(a.domain(xs), b.domain(ys))
        return self.tools.proves(both, k.not_(same(a.at(xs), b.at(ys))))

    def reads_inside_or_outside(self, read: Cells, updates: Sequence[Cells]) -> bool:
        """Is a read entirely inside one of the pieces, or outside the pieces of all iterations?"""
        if any(self.within(read, u) for u in updates):
            return True
        return all(self.disjoint(read, self.summary.of_all_iterations(u)) for u in updates)

    def separates_iterations(self, candidate: Cells) -> bool:
        """Are the cells of different iterations disjoint, and all in the family?"""
        whole = self.summary.of_all_iterations(candidate)
        return is_injective(self.tools, self.summary.facts, whole) and self.within(whole, self.family.cells)


def combined(
    tools: SearchTools, updates: Sequence[Update], cells: Cells, facts: Facts, old: Term, old_init: Term, xs: Terms
) -> tuple[Term, Term]:
    """Compute (value, init) of one cell after the updates, from its old value and initialisation."""
    value, init = old, old_init
    index = cells.at(xs)
    for u in updates:
        at = tools.invert(u.cells, index, facts)
        if at is None:
            continue
        member = facts.simplify(k.and_(u.cells.domain(at), same(u.cells.at(at), index)))
        value = k.ite(member, instantiate(u.value, at), value)
        init = k.ite(member, instantiate(u.init, at) if u.written else k.FALSE, init)
    return value, init
