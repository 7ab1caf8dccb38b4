"""What the rules for groups of threads ask for: parts of a group, owners, pending reads. Untrusted; the kernel checks the answers.

A thread loop of extent e over a group of t threads gives each iteration t / e of them. A pending read of cells that an iteration
leaves has to be part of what the next one assumes: else it could write cells that another thread still reads.
"""

from __future__ import annotations

from optigpu.kernel import Kernel, Rejected, State
from optigpu.kernel import instructions as kc
from optigpu.kernel.causes import Operation, UnequalParts
from optigpu.kernel.context import MAGIC, NOWHERE, THREADS, PendingRead, choose_owner, everyone, imaginary
from optigpu.kernel.fragment_layouts import GROUPS, facts_of_cell, layout_facts, thread_of, threads_of_row
from optigpu.kernel.loop_contract import Cover, Division, Exclusive, Invariant, LoopContract
from optigpu.kernel.side_conditions import terms_of
from optigpu.kernel.thread_rules import ALL_MEMORY, SYNCHRONISED
from optigpu.light_dataclass import replace
from optigpu.logic import terms as k
from optigpu.logic.cells import ACCUMULATING, FULL, Cells, Owner, arguments, outermost, over, same
from optigpu.logic.names import Origin
from optigpu.logic.terms import INT, ONE, ZERO, Term
from optigpu.search.explore.loop_effects import LoopSummary, first_instruction
from optigpu.search.fresh_names import search_var
from optigpu.search.polynomial_division import exact_quotient
from optigpu.search.search_causes import Levels, SharedByThreads, UnequalNestedParts
from optigpu.search.search_tools import SearchTools


class ThreadSearch:
    """Finds the parts of loop contracts that are about groups of threads."""

    def __init__(self, tools: SearchTools, kernel: Kernel) -> None:
        self.tools, self.kernel = tools, kernel

    # Loop contracts

    def contract(
        self, state: State, loop: kc.CountedLoop, summary: LoopSummary, contract: LoopContract
    ) -> LoopContract:
        """Add to a loop's contract what groups of threads need."""
        if state.context.kind not in (THREADS, MAGIC):
            return contract
        if loop.mode in (kc.THREAD, kc.MAGIC_THREAD, kc.FRAG):
            effect = summary.shared_effect({r.cells.base for r in state.held.values() if r.share in ACCUMULATING})
            if effect is not None:
                at = first_instruction(effect) or 0
                raise Rejected(SharedByThreads(Operation.LOOP, effect.base, at=at, facts=state.facts))
        if loop.mode == kc.MAGIC_THREAD or (loop.mode == kc.THREAD and state.context.kind == MAGIC):
            return contract
        if loop.mode == kc.THREAD:
            extent = summary.range.high
            part = self.part(state, extent)
            if part is None:
                raise Rejected(UnequalParts(Operation.LOOP, context=state.context, extent=extent, facts=state.facts))
            equal = Division(k.mul(k.bound(0, INT), part), part)
            exclusive = tuple(self.with_owner(state, x, equal) for x in contract.exclusive)
            return replace(contract, part=part, exclusive=exclusive)
        if loop.mode == kc.FRAG:
            division = division_by_layout(state)
            exclusive = tuple(self.with_owner(state, x, division) for x in contract.exclusive)
            return replace(contract, exclusive=exclusive)
        barriers = {i.level for i in loop.body if isinstance(i, kc.Barrier)}
        if barriers and not contract.exclusive and not contract.invariant:
            spaces = ALL_MEMORY if "magic" in barriers else SYNCHRONISED
            return self.barriers_alone(state, summary, contract, spaces)
        invariant = tuple(replace(i, owner=state.held[i.family].owner) for i in contract.invariant)
        families = {i.family for i in invariant}
        pending = [m for m in state.pending_reads if m.family in families]
        covers = tuple(Cover(n, arguments(m.cells.arity)) for n, m in enumerate(pending))
        return replace(
            contract, invariant=invariant, pending_reads=tuple(map(_in_all_iterations, pending)), covers=covers
        )

    def barriers_alone(
        self, state: State, summary: LoopSummary, contract: LoopContract, spaces: tuple[str, ...]
    ) -> LoopContract:
        """The contract of a loop that changes no memory, and has barriers: after the first iteration, memory is synchronised."""
        read = {m.family for m in state.pending_reads}
        low = summary.range.low
        invariant = []
        for n, r in state.held.items():
            if r.share == FULL and state.bases[r.cells.base].space in spaces and (r.owner is not None or n in read):
                first = k.eq(k.bound(r.cells.arity, INT), low)
                owner = r.owner and choose_owner(first, r.owner, everyone(state.context))
                invariant.append(Invariant(n, r.init, r.value, owner=owner))
        families = {i.family for i in invariant}
        pending = [m for m in state.pending_reads if m.family in families]
        reads = []
        for m in map(_in_all_iterations, pending):
            where = k.and_(m.cells.where, k.eq(k.bound(m.cells.arity - 1, INT), low))
            reads.append(replace(m, cells=replace(m.cells, where=where)))
        covers = tuple(Cover(n, arguments(m.cells.arity)) for n, m in enumerate(pending))
        return replace(contract, invariant=tuple(invariant), pending_reads=tuple(reads), covers=covers)

    def check_extents(
        self,
        state: State,
        loop: kc.CountedLoop,
        threads: Term,
        inside: frozenset[Term] = frozenset(),
        levels: Levels = (),
    ) -> None:
        """Reject a nest of thread loops whose extents do not divide the threads there are, before anything else is checked."""
        extent = state.value(loop.bound)
        if loop.mode == kc.THREAD and loop.start is ZERO and loop.relation == "<" and not extent.free & inside:
            extent = state.facts.simplify(extent)
            part = self.part(state, extent, threads)
            index = str(loop.index.data)
            if part is None:
                context = replace(state.context, threads=threads)
                cause = UnequalNestedParts(
                    Operation.LOOP,
                    context=context,
                    extent=extent,
                    index=index,
                    inner=levels,
                    at=loop.at,
                    facts=state.facts,
                )
                raise Rejected(cause)
            threads, levels = part, (*levels, (index, part))
        elif loop.mode == kc.THREAD:
            return
        inside |= {loop.index} | {i.target for i in loop.body if isinstance(i, kc.Bind | kc.LoadCell)}
        for i in loop.body:
            if isinstance(i, kc.CountedLoop):
                self.check_extents(state, i, threads, inside, levels)

    def part(self, state: State, extent: Term, threads: Term | None = None) -> Term | None:
        """Divide the group's number of threads by the loop's extent."""
        threads, facts = state.context.threads if threads is None else threads, state.facts
        for p in (exact_quotient(threads, extent), state.context.block, facts.simplify(k.fdiv(threads, extent)), ONE):
            if p is not None and self.tools.proves(facts, k.eq(k.mul(extent, p), threads)):
                return p
        return None

    def with_owner(self, state: State, x: Exclusive, division: Division) -> Exclusive:
        """Record whether all threads of an iteration own its cells."""
        r = state.held[x.family]
        if r.owner is None:
            return x
        xs = self.tools.temporaries(x.cells.arity)
        facts = state.facts.assume(x.cells.domain(xs))
        owner = r.owner.at(x.forward).at(xs)
        facts = facts.assume(k.instantiate(division.known, xs[:1]))
        facts = facts.assume(facts_of_cell(state.bases[x.cells.base].layout, x.cells.at(xs)))
        return replace(x, whole=self.tools.proves(facts, owner.contains(division.part(xs[0]))))

    # What the end of a body leaves

    def with_lasting_reads(self, end: State, before: State) -> State:
        """Widen pending reads that mention variables of the body, other than its iteration, to all cells of the family."""
        v = before.iteration(before.next.index) if isinstance(before.next, kc.CountedLoop) else None
        for m in end.pending_reads:
            if any(_is_newer(x, before) and x is not v for t in _terms(m) for x in t.free):
                family = end.held[m.family].cells
                xs = self.tools.temporaries(m.cells.arity)
                at = self.tools.invert(family, m.cells.at(xs), end.facts.assume(m.cells.domain(xs)))
                if at is not None:
                    reader = imaginary() if m.reader == imaginary() else everyone(end.context)
                    wider = PendingRead(m.family, family, reader)
                    cover = Cover(0, tuple(k.abstract(t, xs) for t in at))
                    end = self.kernel.forget(end, end.pending_reads.index(m), wider, cover)
        return end

    def widened(self, end: State, contract: LoopContract, summary: LoopSummary, v: Term) -> LoopContract | None:
        """Widen the contract to the owners and pending reads that the end of the body leaves. Return None if it has them."""
        if end.context.kind not in (THREADS, MAGIC) or not contract.invariant:
            return None
        if end.context.threads is ONE and not _has_magic_accesses(end):
            return None
        invariant = tuple(self._with_owner_left(end, i, v) for i in contract.invariant)
        pending, families = list(contract.pending_reads), {i.family for i in contract.invariant}
        for m in end.pending_reads:
            if m.family in families and self.cover(end, contract, v, m) is None:
                moving = any(v in t.free for t in _terms(m))
                wider = _of_earlier_iterations(m, v, summary.range.low) if moving else _in_all_iterations(m)
                if wider not in pending:
                    pending.append(wider)
        owners_change = any(new is not old for new, old in zip(invariant, contract.invariant))
        if not owners_change and len(pending) == len(contract.pending_reads):
            return None
        return replace(contract, invariant=invariant, pending_reads=tuple(pending))

    def _with_owner_left(self, end: State, inv: Invariant, v: Term) -> Invariant:
        """Replace the owner of an invariant by the one that the body leaves, if the next iteration assumes another one."""
        r = end.held.get(inv.family)
        if r is None or r.owner is None or r.share in ACCUMULATING:
            return inv
        arity = r.cells.arity
        assumed = everyone(end.context) if inv.owner is None else inv.owner.at((k.add(v, ONE), *arguments(arity)))
        xs = self.tools.temporaries(arity)
        inside = end.facts.assume(r.cells.domain(xs))
        if self.tools.proves(inside, r.owner.at(xs).contains(assumed.at(xs))):
            return inv
        previous = {v: k.sub(v, ONE)}
        parts = (k.substitute(t, previous) for t in (r.owner.start, r.owner.size))
        return replace(inv, owner=Owner(*(outermost(t, v, arity) for t in parts)))

    def exit_covers(self, end: State, contract: LoopContract, v: Term) -> tuple[Cover, ...]:
        """Find, for each pending read at the end of the body, one of the contract that covers it."""
        families = {i.family for i in contract.invariant}
        pending = [m for m in end.pending_reads if m.family in families]
        return tuple(self.cover(end, contract, v, m) or Cover(-1, ()) for m in pending)

    def cover(self, end: State, contract: LoopContract, v: Term, m: PendingRead) -> Cover | None:
        """Find the pending read of the contract that covers this one at the start of the next iteration."""
        for n, under in enumerate(contract.pending_reads):
            wider = under.under((k.add(v, ONE),))
            if wider == m:
                return Cover(n, arguments(m.cells.arity))
            if wider.family == m.family:
                xs = self.tools.temporaries(m.cells.arity)
                inside = end.facts.assume(m.cells.domain(xs))
                at = self.tools.invert(wider.cells, m.cells.at(xs), inside)
                if at is None:
                    continue
                goal = k.and_(wider.cells.domain(at), same(wider.cells.at(at), m.cells.at(xs)))
                goal = k.and_(goal, wider.reader.at(at).contains(m.reader.at(xs)))
                if self.tools.proves(inside, goal):
                    return Cover(n, tuple(k.abstract(t, xs) for t in at))
        return None


def division_by_layout(state: State) -> Division:
    """How a loop over fragments divides the group, or in a row, its threads."""
    v = k.bound(0, INT)
    if state.context.row is None:
        layout = next((n for n in GROUPS if state.facts.simplify(state.context.threads) is k.num(n)), GROUPS[0])
        part = threads_of_row(layout, v)
        return Division(part.start, part.size, layout_facts(layout, (v,)))
    layout, row = state.context.row
    first = k.sub(thread_of(layout, row, v).start, threads_of_row(layout, row).start)
    return Division(first, ONE, layout_facts(layout, (row, v)))


def _has_magic_accesses(state: State) -> bool:
    """Have magic loops accessed cells since the last magic barrier?"""
    owners = [r.owner for r in state.held.values() if r.owner is not None]
    return any(NOWHERE in o.start.free for o in (*owners, *(m.reader for m in state.pending_reads)))


def _in_all_iterations(m: PendingRead) -> PendingRead:
    """Turn a pending read into one under the iteration, which it does not mention."""
    return replace(m, cells=replace(m.cells, ranges=((ZERO, ONE), *m.cells.ranges)))


def _of_earlier_iterations(m: PendingRead, v: Term, low: Term) -> PendingRead:
    """Collect the pending reads of all iterations before v; v is the first binder, the earlier iteration the second."""
    w = search_var("earlier", 0, INT)
    n = m.cells.arity
    earlier = over(m.cells.substitute({v: w}), w, low, v)
    ranges = tuple((outermost(lo, v, i), outermost(hi, v, i)) for i, (lo, hi) in enumerate(earlier.ranges))
    cells = Cells(
        m.cells.base,
        ((ZERO, ONE), *ranges),
        outermost(earlier.where, v, n + 1),
        tuple(outermost(e, v, n + 1) for e in earlier.index),
    )
    start, size = (outermost(k.substitute(t, {v: w}), w, n) for t in (m.reader.start, m.reader.size))
    return PendingRead(m.family, cells, Owner(outermost(start, v, n + 1), outermost(size, v, n + 1)))


def _terms(m: PendingRead) -> tuple[Term, ...]:
    return (*terms_of(m.cells), m.reader.start, m.reader.size)


def _is_newer(x: Term, before: State) -> bool:
    """Did a rule make the variable after this state?"""
    return x.data.origin is Origin.RULE and x.data.number >= before.names.get(x.data.stem, 1)
