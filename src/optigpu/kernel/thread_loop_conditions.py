"""What thread loops add to the rules for loops: who executes an iteration, and who may access its cells then and afterwards."""

from __future__ import annotations

from dataclasses import replace

from optigpu.kernel.context import HOST, THREADS, Context, PendingRead
from optigpu.kernel.instructions import MAGIC_THREAD, PARALLEL, SEQUENTIAL, THREAD, CountedLoop
from optigpu.kernel.loop_contract import Cover, Entered, Exclusive, IterationRange, LoopContract
from optigpu.kernel.state import Rejected, State
from optigpu.kernel.thread_rules import ThreadConditions, everyone, with_reads
from optigpu.logic import terms as k
from optigpu.logic.cells import READ, CellFamily, Owner
from optigpu.logic.terms import INT, ONE, ZERO, Term, instantiate


class ThreadLoopConditions(ThreadConditions):
    def _group(
        self, state: State, loop: CountedLoop, contract: LoopContract, range_: IterationRange, v: Term
    ) -> tuple[Context, Term]:
        """Who executes an iteration, and where its threads begin: N iterations of a thread loop are N equal parts of the group."""
        context = state.context
        if loop.mode == SEQUENTIAL and context.kind in (HOST, THREADS):
            return context, ZERO
        if loop.mode in (PARALLEL, MAGIC_THREAD) and context.kind == HOST:
            return context, ZERO
        if loop.mode != THREAD or context.kind != THREADS:
            raise Rejected("loop", "context", context=context, mode=loop.mode)
        part = state.facts.simplify(contract.part if contract.part is not None else ONE)
        goal = k.and_(k.eq(k.mul(range_.high, part), context.threads), k.le(ZERO, part))
        if range_.low is not ZERO or range_.index is not k.bound(0, INT):
            raise Rejected("loop", "extent", state.facts, goal, context=context, extent=range_.high)
        self._require("loop", "extent", state.facts, goal, context=context, extent=range_.high)
        return replace(context, threads=part), k.mul(v, part)

    def _owner_inside(self, state: State, r: CellFamily, x: Exclusive, context: Context) -> Owner | None:
        """Who of an iteration's threads may access its exclusive cells: all of them, or owners who all are among them."""
        if r.owner is None:
            return None
        first = k.mul(k.bound(x.cells.arity - 1, INT), context.threads)
        owner = r.owner.at(x.forward).moved(k.neg(first))
        b, inside = self._arbitrary(state.facts, x.cells)
        mine, group = owner.at(b), everyone(context)
        goal = mine.contains(group) if x.whole else group.contains(mine)
        begin = instantiate(first, b)
        data = {"cell": x.cells.at(b), "first": begin, "other": mine.moved(begin)}
        self._require("loop", "owner", inside, goal, base=x.cells.base, **data)
        return None if x.whole else owner

    def _invariant_reads(self, contract: LoopContract, v: Term) -> tuple[PendingRead, ...]:
        families = {i.family for i in contract.invariant}
        if any(m.family not in families for m in contract.pending_reads):
            raise Rejected("loop", "marks")
        return tuple(m.under((v,)) for m in contract.pending_reads)

    def _owned_by(self, rule: str, state: State, r: CellFamily, owner: Owner | None) -> None:
        """Those threads (None: all) may access the cells of r. They are some of the group's: nobody would be part of any part."""
        if r.owner == owner:
            return
        b, inside = self._arbitrary(state.facts, r.cells)
        mine, least = (everyone(state.context) if o is None else o.at(b) for o in (r.owner, owner))
        goal = k.and_(mine.contains(least), k.TRUE if owner is None else k.le(ONE, least.size))
        self._require(rule, "owner", inside, goal, base=r.cells.base, context=state.context)

    def _owner_outside(self, before: State, entered: Entered, mine: CellFamily) -> Owner | None:
        """Who may access exclusive cells after the loop, under v and their binders."""
        threads = entered.context.threads
        if entered.context == before.context and mine.owner is None:
            return None
        owner = (mine.owner or Owner(ZERO, threads)).moved(entered.first)
        self._outlives(before, entered.v, owner.start, owner.size)
        return owner.over(entered.v, mine.cells.arity)

    def _context_after(self, before: State, end: State, entered: Entered) -> Context:
        """The end of the body has the context of its start. Only blocks may keep shared memory, until the kernel ends: iterations
        of a thread loop have different threads (or there is only one), those of a sequential loop the same."""
        if replace(end.context, used=entered.context.used, busy=entered.context.busy) != entered.context:
            raise Rejected("leave", "context", context=end.context)
        if end.context != entered.context:
            if self._next(before, CountedLoop).mode != THREAD:
                raise Rejected("leave", "shared", context=end.context)
            self._known(before, end.context.used, *(size for _, size in end.context.busy))
        return replace(before.context, used=end.context.used, busy=end.context.busy)

    def _reads_after(
        self, before: State, end: State, entered: Entered, homes: dict[int, int], covers: tuple[Cover, ...]
    ) -> tuple[PendingRead, ...]:
        """What is marked after the loop: what was before, and what the iterations have read.

        Marks on invariant families are those of the contract. Marks of other families do not restrict the body, so what one
        iteration leaves is left by all.
        """
        contract, range_, v = entered.contract, entered.range, entered.v
        invariant = {i.family for i in contract.invariant}
        checked = [m for m in end.pending_reads if m.family in invariant]
        at_end = self._invariant_reads(contract, k.add(v, ONE))
        for m, cover in zip(checked, covers, strict=True):
            self._covered("leave", end.facts, m, at_end, cover)
        pending_reads = tuple(m for m in before.pending_reads if m.family not in invariant)
        pending_reads = with_reads(pending_reads, *self._invariant_reads(contract, range_.end))
        for m in end.pending_reads:
            if m.family in invariant or m in entered.pending_reads:
                continue
            out = self._bound(before, m, v, range_.low, range_.high, entered.first)
            pending_reads = with_reads(pending_reads, replace(out, family=homes.get(m.family, m.family)))
        if before.context.threads is ONE:  # a single thread does not get in its own way
            return tuple(m for m in pending_reads if before.held[m.family].share == READ)
        return pending_reads
