"""What the rules for groups of threads ask for: parts, owners and marks. Untrusted; the kernel checks what is found."""

from __future__ import annotations

from dataclasses import replace

from optigpu.kernel import Kernel, Rejected, State
from optigpu.kernel import instructions as kc
from optigpu.kernel.causes import Operation, UnequalParts
from optigpu.kernel.context import THREADS, PendingRead, everyone
from optigpu.kernel.loop_contract import Cover, Exclusive, LoopContract
from optigpu.kernel.side_conditions import terms_of
from optigpu.logic import terms as k
from optigpu.logic.cells import Cells, Owner, arguments, outermost, over, same
from optigpu.logic.names import Origin
from optigpu.logic.terms import INT, ONE, ZERO, Term
from optigpu.search.explore.loop_effects import LoopSummary, first_instruction
from optigpu.search.fresh_names import search_var
from optigpu.search.search_causes import Levels, SharedByThreads, UnequalNestedParts
from optigpu.search.search_tools import SearchTools


class ThreadSearch:
    def __init__(self, tools: SearchTools, kernel: Kernel) -> None:
        self.kernel = kernel
        self.tools = tools

    # Loop contracts

    def contract(
        self, state: State, loop: kc.CountedLoop, summary: LoopSummary, contract: LoopContract
    ) -> LoopContract:
        """A loop's contract with what the groups of threads need."""
        if state.context.kind != THREADS:
            return contract
        if loop.mode == kc.THREAD:
            effect = summary.shared_effect()
            if effect is not None:
                place = first_instruction(effect) or 0
                raise Rejected(SharedByThreads(Operation.LOOP, effect.base, at=place, facts=state.facts))
            part = self.part(state, summary.range.high)
            if part is None:
                extent = summary.range.high
                raise Rejected(UnequalParts(Operation.LOOP, context=state.context, extent=extent, facts=state.facts))
            exclusive = tuple(self.with_owner(state, x, part) for x in contract.exclusive)
            return replace(contract, part=part, exclusive=exclusive)
        invariant = tuple(replace(i, owner=state.held[i.family].owner) for i in contract.invariant)
        families = {i.family for i in invariant}
        before = [m for m in state.pending_reads if m.family in families]
        covers = tuple(Cover(n, arguments(m.cells.arity)) for n, m in enumerate(before))
        return replace(contract, invariant=invariant, pending_reads=tuple(constant(m) for m in before), covers=covers)

    def extents(
        self,
        state: State,
        loop: kc.CountedLoop,
        threads: Term,
        inside: frozenset[Term] = frozenset(),
        levels: Levels = (),
    ) -> None:
        """Before anything else is said of nested thread loops: do their extents divide the threads there are?"""
        bound = state.value(loop.bound)
        if loop.mode == kc.THREAD and loop.start is ZERO and loop.relation == "<" and not bound.free & inside:
            bound = state.facts.simplify(bound)
            part = self.part(state, bound, threads)
            if part is None:
                context = replace(state.context, threads=threads)
                raise Rejected(
                    UnequalNestedParts(
                        Operation.LOOP,
                        context=context,
                        extent=bound,
                        index=str(loop.index.data),
                        inner=levels,
                        at=loop.at,
                        facts=state.facts,
                    )
                )
            threads, levels = part, (*levels, (str(loop.index.data), part))
        elif loop.mode == kc.THREAD:
            return
        inside |= {loop.index} | {i.target for i in loop.body if isinstance(i, kc.Bind | kc.LoadCell)}
        for i in loop.body:
            if isinstance(i, kc.CountedLoop):
                self.extents(state, i, threads, inside, levels)

    def part(self, state: State, extent: Term, threads: Term | None = None) -> Term | None:
        """The number of threads of an iteration: the group's divided by the loop's extent."""
        threads, facts = state.context.threads if threads is None else threads, state.facts
        for p in (divided(threads, extent), state.context.block, facts.simplify(k.fdiv(threads, extent)), ONE):
            if p is not None and self.tools.proves(facts, k.eq(k.mul(extent, p), threads)):
                return p
        return None

    def with_owner(self, state: State, x: Exclusive, part: Term) -> Exclusive:
        """Do all threads of an iteration own its cells, or only some?"""
        r = state.held[x.family]
        if r.owner is None:
            return x
        xs = self.tools.temporaries(x.cells.arity)
        facts = state.facts.assume(x.cells.domain(xs))
        owner = r.owner.at(x.forward).at(xs)
        mine = Owner(k.mul(xs[0], part), part)
        return replace(x, whole=self.tools.proves(facts, owner.contains(mine)))

    # What the end of a body leaves

    def outliving(self, end: State, before: State) -> State:
        """Marks that speak of what was found out in the body are widened to all cells of the family."""
        for m in end.pending_reads:
            if any(_newer(x, before.counter) for t in _terms(m) for x in t.free):
                family = end.held[m.family].cells
                xs = self.tools.temporaries(m.cells.arity)
                at = self.tools.invert(family, m.cells.at(xs), end.facts.assume(m.cells.domain(xs)))
                if at is not None:
                    reader = everyone(end.context)
                    wider = PendingRead(m.family, family, reader)
                    cover = Cover(0, tuple(k.abstract(t, xs) for t in at))
                    end = self.kernel.forget(end, end.pending_reads.index(m), wider, cover)
        return end

    def widened(
        self, state: State, end: State, contract: LoopContract, summary: LoopSummary, v: Term
    ) -> LoopContract | None:
        """If the end of the body leaves owners or marks that its start did not assume: a contract that assumes them."""
        if end.context.kind != THREADS or end.context.threads is ONE or not contract.invariant:
            return None
        new, changes = [], False
        for inv in contract.invariant:
            mine = end.held.get(inv.family)
            if mine is not None and mine.owner is not None:
                args = (k.add(v, ONE), *arguments(mine.cells.arity))
                assumed = everyone(end.context) if inv.owner is None else inv.owner.at(args)
                xs = self.tools.temporaries(mine.cells.arity)
                inside = end.facts.assume(mine.cells.domain(xs))
                if not self.tools.proves(inside, mine.owner.at(xs).contains(assumed.at(xs))):
                    last = {v: k.sub(v, ONE)}
                    parts = (k.substitute(t, last) for t in (mine.owner.start, mine.owner.size))
                    inv = replace(inv, owner=Owner(*(outermost(t, v, mine.cells.arity) for t in parts)))
                    changes = True
            new.append(inv)
        pending_reads, families = list(contract.pending_reads), {i.family for i in contract.invariant}
        for m in end.pending_reads:
            if m.family in families and self.cover(end, contract, v, m) is None:
                earlier = constant(m) if not any(v in t.free for t in _terms(m)) else _earlier(m, v, summary.range.low)
                if earlier not in pending_reads:
                    pending_reads.append(earlier)
                    changes = True
        return replace(contract, invariant=tuple(new), pending_reads=tuple(pending_reads)) if changes else None

    def exit_covers(self, end: State, contract: LoopContract, v: Term) -> tuple[Cover, ...]:
        families = {i.family for i in contract.invariant}
        pending_reads = [m for m in end.pending_reads if m.family in families]
        return tuple(self.cover(end, contract, v, m) or Cover(-1, ()) for m in pending_reads)

    def cover(self, end: State, contract: LoopContract, v: Term, m: PendingRead) -> Cover | None:
        """The mark that the contract has for this one at the start of the next iteration."""
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


def constant(m: PendingRead) -> PendingRead:
    """A mark as one of all iterations: a first binder that it does not mention."""
    return replace(m, cells=replace(m.cells, ranges=((ZERO, ONE), *m.cells.ranges)))


def _earlier(m: PendingRead, v: Term, low: Term) -> PendingRead:
    """What iterations before v have left marked, each what m says of it; v is the first binder, the earlier one the second."""
    w = search_var("earlier", 0, INT)
    n = m.cells.arity
    moved = PendingRead(
        m.family,
        m.cells.substitute({v: w}),
        Owner(k.substitute(m.reader.start, {v: w}), k.substitute(m.reader.size, {v: w})),
    )
    reader = Owner(outermost(moved.reader.start, w, n), outermost(moved.reader.size, w, n))
    all_earlier = over(moved.cells, w, low, v)
    ranges = tuple((outermost(lo, v, i), outermost(hi, v, i)) for i, (lo, hi) in enumerate(all_earlier.ranges))
    cells = Cells(
        m.cells.base,
        ((ZERO, ONE), *ranges),
        outermost(all_earlier.where, v, n + 1),
        tuple(outermost(e, v, n + 1) for e in all_earlier.index),
    )
    return PendingRead(m.family, cells, Owner(outermost(reader.start, v, n + 1), outermost(reader.size, v, n + 1)))


def divided(threads: Term, extent: Term) -> Term | None:
    """threads / extent, where that is a polynomial: long division, the leading monomials first."""
    quotient, rest = ZERO, threads
    while rest is not ZERO:
        summand = _over(_leading(rest), _leading(extent))
        if summand is None:
            return None
        before = _leading(rest)[:2]
        quotient, rest = k.add(quotient, summand), k.sub(rest, k.mul(summand, extent))
        if rest is not ZERO and not _leading(rest)[:2] < before:  # a product that is not written as a sum of monomials
            return None
    return quotient


_Leading = tuple[int, tuple[Term, ...], int]


def _leading(p: Term) -> _Leading:
    """Degree, monomial and coefficient of the highest monomial: of those of one degree, the last one in the order of terms."""
    return max(((len(m), m, c) for m, c in k.coefficients(p).items()), default=(0, (), 0))


def _over(whole: _Leading, part: _Leading) -> Term | None:
    """One monomial divided by another."""
    left = list(whole[1])
    for factor in part[1]:
        if factor not in left:
            return None
        left.remove(factor)
    return k.polynomial({tuple(left): whole[2] // part[2]}, INT) if part[2] and whole[2] % part[2] == 0 else None


def _terms(m: PendingRead) -> tuple[Term, ...]:
    return (*terms_of(m.cells), m.reader.start, m.reader.size)


def _newer(x: Term, counter: int) -> bool:
    return x.data.origin is Origin.RULE and x.data.number > counter
