"""Dependences between iterations of a loop: which write the same cells, and which read what an earlier one wrote."""

from __future__ import annotations

from collections.abc import Sequence

from optigpu.kernel.side_conditions import terms_of
from optigpu.light_dataclass import replace
from optigpu.logic import terms as k
from optigpu.logic.cells import Cells, Terms, same
from optigpu.logic.facts import Facts
from optigpu.logic.terms import FALSE, TRUE, Term, instantiate
from optigpu.search.explore.loop_effects import LoopSummary, is_injective, same_but_for_guard
from optigpu.search.explore.symbolic_memory import Update
from optigpu.search.fresh_names import scoped
from optigpu.search.search_tools import SearchTools


class IterationDependence:
    """Decides dependences between two iterations of one loop."""

    def __init__(self, tools: SearchTools, summary: LoopSummary) -> None:
        self.tools, self.summary = tools, summary
        self._injective: dict[Cells, bool] = {}

    def start_of(self, base: str) -> Term:
        return self.summary.entry[base].start

    def mentions(self, u: Update, base: str) -> bool:
        """Does an update read the contents of an array?"""
        start = self.start_of(base)
        return any(start in t.free for t in (*terms_of(u.cells), u.value))

    # Writes

    @scoped
    def disjoint(self, updates: Sequence[Update]) -> bool:
        """Do different iterations write different cells?"""
        return all(self._disjoint(a.cells, b.cells) for i, a in enumerate(updates) for b in updates[i:])

    @scoped
    def _disjoint(self, a: Cells, b: Cells) -> bool:
        """If iteration v writes a cell of a and iteration w the same cell as part of b, is v = w?"""
        v, facts, range_ = self.summary.v, self.summary.facts, self.summary.range
        if same_but_for_guard(a, b) and self.tells_iteration(replace(a, where=TRUE)):
            return True
        if a is b and self.tells_iteration(a):
            return True
        w = self.tools.temporaries(1, "w")[0]
        xs, ys = self.tools.temporaries(a.arity), self.tools.temporaries(b.arity)
        moved = b.substitute({v: w})
        meeting = same(a.at(xs), moved.at(ys))
        if meeting is FALSE:  # as 16 * v + 1 = 16 * w + 2 is
            return True
        both = facts.assume(a.domain(xs), k.le(range_.low, w), k.lt(w, range_.high), moved.domain(ys))
        return self.tools.proves(both.assume(meeting), k.eq(v, w))

    @scoped
    def tells_iteration(self, cells: Cells) -> bool:
        """Does a cell determine the iteration that writes it?"""
        if cells not in self._injective:
            whole = self.summary.of_all_iterations(cells)
            self._injective[cells] = is_injective(self.tools, self.summary.facts, whole)
        return self._injective[cells]

    # Reads after writes

    @scoped
    def reads_no_earlier_write(self, u: Update, base: str, writes: Sequence[Update]) -> bool:
        """Does an update read only cells of the base that no earlier iteration wrote? `writes`: the updates of the base."""
        xs = self.tools.temporaries(u.cells.arity)
        inside = self.summary.facts.assume(u.cells.domain(xs))
        terms = (*(instantiate(t, xs) for t in (u.value, u.cells.where, *u.cells.index)),)
        return all(
            self.not_written_earlier(index, writes, known)
            for t in terms
            for index, known in self.reads(t, base, inside)
        )

    @scoped
    def has_flow(self, base: str, writes: Sequence[Update]) -> bool:
        """Is there a flow dependence: does an iteration read cells of the base that an earlier one wrote?"""
        for c in self.summary.reads:
            if c.base == base:
                xs = self.tools.temporaries(c.arity)
                if not self.not_written_earlier(c.at(xs), writes, self.summary.facts.assume(c.domain(xs))):
                    return True
        return False

    def reads(self, t: Term, base: str, facts: Facts) -> list[tuple[Terms, Facts]]:
        """List the indices at which a term reads the contents of base, with the facts there: ranges of sums, tests of choices."""
        start, reads = self.start_of(base), list[tuple[Terms, Facts]]()
        if not self.summary.entry[base].rank:
            return [((), facts)] if start in t.free else []

        def visit(x: Term, inside: Facts) -> None:
            if start not in x.free:
                return
            if x.op in ("sum", "prod", "all", "fold_max", "argmax"):
                for a in x.args[:-1]:
                    visit(a, inside)
                (y,) = self.tools.temporaries(1, "y")
                within = inside.assume(k.le(x.args[-3], y), k.lt(y, x.args[-2]))
                visit(instantiate(x.args[-1], (y,)), within)
                return
            if x.op == "ite" and x.level == 0:
                test, a, b = x.args
                visit(test, inside)
                visit(a, inside.assume(test))
                visit(b, inside.assume(k.not_(test)))
                return
            if x.op == "app" and x.args[0] is start:
                reads.append((x.args[1:], inside))
            for a in x.parts:
                visit(a, inside)

        visit(t, facts)
        return reads

    @scoped
    def not_written_earlier(self, index: Terms, writes: Sequence[Update], facts: Facts) -> bool:
        """Has no earlier iteration written this cell?"""
        if any(t.level > 0 for t in index):
            depth = max(t.level for t in index)
            xs = self.tools.temporaries(depth, "y")
            index = tuple(instantiate(t, xs) for t in index)
        for u in writes:
            whole = self.summary.of_all_iterations(u.cells)
            at = self.tools.invert(whole, index, facts)
            if at is None:
                return False
            written_earlier = k.and_(whole.domain(at), same(whole.at(at), index), k.lt(at[0], self.summary.v))
            if not self.tools.proves(facts, k.not_(written_earlier)):
                return False
        return True
