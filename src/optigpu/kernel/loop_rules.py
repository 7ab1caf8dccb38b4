"""Rules for counted loops: sequential ones with invariants, parallel and thread loops without."""

from __future__ import annotations

from dataclasses import replace

from optigpu.kernel.context import HOST, PendingRead
from optigpu.kernel.instructions import SEQUENTIAL, THREAD, Bind, CountedLoop, LaunchKernel, Phase
from optigpu.kernel.loop_contract import (
    Cover,
    Entered,
    Invariant,
    IterationRange,
    LoopContract,
    holds_for,
    iterations,
    values_of,
)
from optigpu.kernel.state import OpenBlock, Rejected, State, changed
from optigpu.kernel.thread_loop_conditions import ThreadLoopConditions
from optigpu.kernel.thread_rules import chosen, with_reads
from optigpu.logic import terms as k
from optigpu.logic.cells import FULL, LENT, READ, CellFamily, Cells, Owner, arguments, unknown
from optigpu.logic.equality import EqualitySteps
from optigpu.logic.terms import INT, ONE, ZERO, Term, instantiate, instantiate_all


class LoopRules(ThreadLoopConditions):
    def range_of(self, state: State, loop: CountedLoop) -> IterationRange:
        """The iterations of a counted loop. Its step is positive, and it counts towards its bound."""
        range_ = iterations(loop, *state.values((loop.start, loop.bound, loop.amount)))
        self._require("loop", "step", state.facts, k.lt(ZERO, state.value(loop.amount)))
        return replace(range_, high=state.facts.simplify(range_.high))

    def enter_loop(self, state: State, contract: LoopContract) -> State:
        """The body of a loop, for an arbitrary iteration v.

        Exclusive cells: all X(v) are cells of one family, and different iterations have different cells. Invariants: the family's
        contents are those of iteration `low`. Everything else that is held can be read in the body and not written.

        Iteration v of a thread loop is executed by an equal part of the group. Its exclusive cells are ones that this part may
        access, and that nobody else has read since the last barrier.
        """
        loop = self._next(state, CountedLoop)
        self._known(state, contract)
        range_ = self.range_of(state, loop)
        v = state.fresh(str(loop.index.data), INT)
        context, first = self._group(state, loop, contract, range_, v)
        if loop.mode != SEQUENTIAL and (contract.invariant or contract.facts):
            names = [state.held[i.family].cells.base for i in contract.invariant if i.family in state.held]
            raise Rejected("loop", "parallel", base=next(iter(names), ""))
        number = state.counter + 1
        held, body = dict(state.held), dict[int, CellFamily]()
        pending_reads: tuple[PendingRead, ...] = ()
        for x in contract.exclusive:
            r = self._family("loop", held, x.family, x.cells.base, FULL)
            if not x.cells.ranges or x.cells.ranges[0] != (range_.low, range_.high):
                raise Rejected("loop", "shape", base=x.cells.base)
            self._found("loop", state.facts, x.cells, r, x.forward, x.back)
            at = instantiate_all(x.forward, (v, *arguments(x.cells.arity - 1)))
            owner = r.owner and r.owner.at(at)
            mine = tuple(replace(m, family=number) for m in state.pending_reads if m.family == x.family)
            if loop.mode == THREAD:
                inner = self._owner_inside(state, r, x, context)
                owner = inner and inner.at((v, *arguments(x.cells.arity - 1)))
                part = Owner(k.mul(k.bound(x.cells.arity - 1, INT), context.threads), context.threads)
                for m in mine:
                    self._read_within(state, x.cells, m, part)
                alone = context.threads is ONE
                mine = () if alone else tuple(replace(m, reader=m.reader.moved(k.neg(first))) for m in mine)
            pending_reads = with_reads(pending_reads, *mine)
            body[number] = CellFamily(
                x.cells.under((v,)), instantiate(r.value, at), instantiate(r.init, at), FULL, owner
            )
            held[x.family] = r.without(self._member(x.cells, r, x.back))
            number += 1
        for inv in contract.invariant:
            if inv.family not in held or held[inv.family] is not state.held[inv.family]:
                raise Rejected("loop", "shape")
            r = self._family("loop", held, inv.family, held[inv.family].cells.base, FULL)
            begin = self._at_iteration(state, r, inv, range_.low, "")
            self._contents("loop", state.facts, begin, r, arguments(r.cells.arity), inv.steps, inv.value is None)
            if inv.law.level > r.cells.arity + 2 or inv.law.sort is not k.BOOL:
                raise Rejected("loop", "shape", base=r.cells.base)
            if inv.law is not k.TRUE:
                self._require("loop", "law", state.facts, law_of(inv, replace(r, init=begin.init), range_.low))
            self._owned_by("loop", state, r, begin.owner)
            body[inv.family] = self._at_iteration(state, r, inv, v, f"{r.cells.base}#{number}")
            del held[inv.family]
            number += 1
        kept = self._invariant_reads(contract, range_.low)
        before = [m for m in state.pending_reads if m.family in {i.family for i in contract.invariant}]
        for m, cover in zip(before, contract.covers, strict=True):
            self._covered("loop", state.facts, m, kept, cover)
        pending_reads = with_reads(pending_reads, *self._invariant_reads(contract, v))
        for n, r in held.items():
            share = LENT if loop.mode == SEQUENTIAL and r.share != READ else READ
            body[n] = replace(r, share=share, owner=r.owner and r.owner.moved(k.neg(first)))
        for p in contract.facts:
            self._require("loop", "invariant", state.facts, instantiate(p, (range_.low,)))
        taken = holds_for(loop, instantiate(range_.index, (v,)), state.value(loop.bound))  # by the choice of n
        facts = state.facts.assume(k.le(range_.low, v), k.lt(v, range_.high), taken)
        facts = facts.assume(*(instantiate(p, (v,)) for p in contract.facts))
        facts = facts.assume(*(law_of(i, body[i.family], v) for i in contract.invariant))
        env = {**state.env, loop.index: instantiate(range_.index, (v,))}
        block = OpenBlock("loop", state, Entered(contract, range_, v, context, first, pending_reads))
        state = changed(state, facts=facts, env=env, held=body, code=loop.body, block=block, counter=number)
        return changed(state, context=context, pending_reads=pending_reads)

    def _at_iteration(self, state: State, r: CellFamily, inv: Invariant, v: Term, name: str) -> CellFamily:
        """What an invariant says of its family at iteration v; unknown contents get a name."""
        args = (v, *arguments(r.cells.arity))
        sort = state.bases[r.cells.base].sort
        value = unknown(name, r.cells.arity, sort) if inv.value is None else instantiate(inv.value, args)
        return replace(r, value=value, init=instantiate(inv.init, args), owner=inv.owner and inv.owner.at(args))

    def leave_loop(
        self,
        end: State,
        exclusive: tuple[EqualitySteps, ...],
        invariant: tuple[EqualitySteps, ...],
        covers: tuple[Cover, ...] = (),
    ) -> State:
        """After a loop: what it promised of iteration v holds at the end of its body, so it holds of all iterations.

        Exclusive cells hold what their iteration left, invariant families what they hold at the first iteration not taken. After a
        thread loop, exclusive cells belong to the threads of their iteration; what iterations have read stays marked.
        """
        entered: Entered = self._ended(end, "loop")
        contract, range_, v = entered.contract, entered.range, entered.v
        self._known(end, exclusive, invariant, covers)
        before = end.block.before
        assert before is not None
        rest, number = dict(end.held), before.counter + 1
        homes: dict[int, int] = {}  # numbers of families in the body -> those outside
        owners: list[Owner | None] = []
        for x, steps in zip(contract.exclusive, exclusive, strict=True):
            cells = x.cells.under((v,))
            args = (v, *arguments(cells.arity))
            mine = self._given_back(rest, number, cells)
            want = CellFamily(
                cells, k.ZERO if x.value is None else instantiate(x.value, args), instantiate(x.init, args)
            )
            self._contents("leave", end.facts, want, mine, arguments(cells.arity), steps, x.value is None)
            owners.append(self._owner_outside(before, entered, mine))
            homes[number] = x.family
            number += 1
        for inv, steps in zip(contract.invariant, invariant, strict=True):
            mine = self._given_back(rest, inv.family, before.held[inv.family].cells)
            want = self._at_iteration(before, mine, inv, k.add(v, k.ONE), "")
            self._contents("leave", end.facts, want, mine, arguments(mine.cells.arity), steps, inv.value is None)
            if inv.law is not k.TRUE:
                law = law_of(inv, replace(mine, init=want.init), k.add(v, k.ONE))
                self._require("leave", "law", end.facts, law, base=mine.cells.base)
            self._owned_by("leave", end, mine, want.owner)
            if inv.value is not None and not mine.cells.ranges and mine.value.sort is INT:  # as has been shown
                equal = k.implies(k.and_(mine.cells.where, want.init), k.eq(mine.value, want.value))
                end = changed(end, facts=end.facts.assume(equal))
        self._nothing_left("leave", end.facts, rest)
        if end.bases != before.bases:
            raise Rejected("leave", "leak", base=next(iter(end.bases.keys() ^ before.bases.keys()), ""))
        for p in contract.facts:
            self._require("leave", "invariant", end.facts, instantiate(p, (k.add(v, k.ONE),)))
        context = self._context_after(before, end, entered)
        pending_reads = self._reads_after(before, end, entered, homes, covers)
        held, counter = dict(before.held), end.counter
        for x, owner in zip(contract.exclusive, owners, strict=True):
            r = before.held[x.family]
            sort = before.bases[x.cells.base].sort
            value = unknown(f"{x.cells.base}#{counter}", x.cells.arity, sort) if x.value is None else x.value
            new = (instantiate(value, x.back), instantiate(x.init, x.back))
            member = self._member(x.cells, r, x.back)
            after = held[x.family].updated(member, *new)
            owner = chosen(before.context, member, owner and owner.at(x.back), after.owner)
            held[x.family] = replace(after, owner=owner)
            counter += 1
        for inv in contract.invariant:
            r = held[inv.family]
            held[inv.family] = self._at_iteration(before, r, inv, range_.end, f"{r.cells.base}#{counter}")
            counter += 1
        facts = before.facts.assume(*(instantiate(p, (range_.end,)) for p in contract.facts))
        facts = facts.assume(*(law_of(i, held[i.family], range_.end) for i in contract.invariant))
        after_ = changed(before, facts=facts, held=held, code=before.code[1:], counter=counter)
        return changed(after_, context=context, pending_reads=pending_reads)

    def _given_back(self, rest: dict[int, CellFamily], number: int, cells: Cells) -> CellFamily:
        mine = rest.pop(number, None)
        if mine is None or mine.cells != cells or mine.share != FULL:
            raise Rejected("leave", "permission", base=cells.base)
        return mine

    def unroll(self, state: State) -> State:
        """A sequential loop over known numbers is its body for each of them, one after the other. Kernels end in the body."""
        loop = self._next(state, CountedLoop)
        numbers = [state.facts.simplify(state.value(t)) for t in (loop.start, loop.bound, loop.amount)]
        if loop.mode != SEQUENTIAL or not all(k.is_num(t) for t in numbers):
            raise Rejected("unroll", "numbers")
        phases = [i for i in loop.body if isinstance(i, LaunchKernel | Phase)]
        if phases and (state.context.kind != HOST or phases[-1] != Phase(HOST)):
            raise Rejected("launch", "context", context=state.context, to=HOST)
        values = values_of(loop, *(t.data for t in numbers))
        code = tuple(i for value in values for i in (Bind(loop.index, k.num(value), at=loop.at), *loop.body))
        return changed(state, code=code + state.code[1:])


def law_of(inv: Invariant, r: CellFamily, v: Term) -> Term:
    """For all cells of r that are written: the invariant's law holds of iteration v, the cell's binders and its value.

    It is shown of the actual contents at entry and at the end of the body, where the invariant says that cells are written. So by
    induction it holds of the contents at the start of every iteration and after the last one, whether `value` tells them or not.
    """
    args = arguments(r.cells.arity)
    fact = k.implies(k.and_(r.cells.where, r.init), instantiate(inv.law, (v, *args, r.value)))
    for low, high in reversed(r.cells.ranges):
        fact = k.big("all", low, high, fact)
    return fact
