"""Rules for counted loops: sequential ones with invariants, parallel and thread loops without."""

from __future__ import annotations

import operator
from dataclasses import dataclass, replace

from optigpu.kernel import terms as k
from optigpu.kernel.cells import FULL, LENT, READ, Cells, Family, Index, Mark, Owner, arguments, unknown
from optigpu.kernel.code import MAGIC_THREAD, PARALLEL, SEQUENTIAL, THREAD, Let, Loop
from optigpu.kernel.state import HOST, THREADS, Block, Context, Rejected, State, changed
from optigpu.kernel.terms import INT, ONE, ZERO, Term, instantiate, instantiate_all
from optigpu.kernel.threads import Cover, ThreadConditions, chosen, everyone, marked
from optigpu.kernel.values import Steps


@dataclass(frozen=True, slots=True)
class Exclusive:
    """Cells that each iteration has to itself. `cells`, `init` and `value` are under the loop's v and then their binders."""

    family: int
    cells: Cells
    forward: Index
    back: Index
    init: Term
    value: Term | None  # None: something
    whole: bool = True  # thread loops: may all threads of the iteration access the cells, or only those that own them?


@dataclass(frozen=True, slots=True)
class Invariant:
    """A family whose contents at the start of iteration v are `value`; under v and then the family's binders."""

    family: int
    init: Term
    value: Term | None
    steps: Steps = ()
    owner: Owner | None = None  # at the start of iteration v: at most who may access the cells


@dataclass(frozen=True, slots=True)
class LoopContract:
    exclusive: tuple[Exclusive, ...] = ()
    invariant: tuple[Invariant, ...] = ()
    facts: tuple[Term, ...] = ()  # under v
    part: Term | None = None  # thread loops: how many threads an iteration has
    marks: tuple[Mark, ...] = ()  # on invariant families, at the start of iteration v, which is the first binder
    covers: tuple[Cover, ...] = ()  # of the marks before the loop, by those of the first iteration


@dataclass(frozen=True, slots=True)
class _Entered:
    """What the end of a loop's body is compared with."""

    contract: LoopContract
    range: Range
    v: Term
    context: Context
    first: Term  # the first thread of iteration v, in the group that executes the loop
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class Range:
    """The iterations of a loop: v from low to high in steps of 1, with the value of the program's index under v."""

    low: Term
    high: Term
    index: Term

    @property
    def end(self) -> Term:
        """The first v not taken: low for an empty range, never high."""
        return k.max_(self.low, self.high)


TESTS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
STEPS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.floordiv}
STEPS |= {"<<": operator.lshift, ">>": operator.rshift}
TOWARDS = {"+": ("<", "<="), "-": (">", ">=")}


def iterations(loop: Loop, start: Term, bound: Term, step: Term) -> Range:
    """The iterations of a loop that counts by a positive step towards its bound: ceil(distance / step) values are taken.

    Away from its bound, a loop that takes one value does not end.
    """
    if loop.relation not in TOWARDS.get(loop.op, ()):
        raise Rejected("loop", "direction" if loop.op in TOWARDS else "geometric")
    v, up = k.bound(0, INT), loop.op == "+"
    beyond = {"<=": k.add(bound, ONE), ">=": k.sub(bound, ONE)}.get(loop.relation, bound)
    if up and step is ONE:
        return Range(start, beyond, v)
    distance = k.sub(beyond, start) if up else k.sub(start, beyond)
    count = k.fdiv(k.sub(k.add(distance, step), ONE), step)
    return Range(ZERO, count, k.add(start, k.mul(step if up else k.neg(step), v)))


def holds_for(loop: Loop, index: Term, bound: Term) -> Term:
    """The loop's own condition."""
    low, high = (index, bound) if loop.relation in ("<", "<=") else (bound, index)
    return k.le(low, high) if "=" in loop.relation else k.lt(low, high)


class LoopRules(ThreadConditions):
    def range_of(self, state: State, loop: Loop) -> Range:
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
        loop = self._next(state, Loop)
        self._known(state, contract)
        range_ = self.range_of(state, loop)
        v = state.fresh(str(loop.index.data), INT)
        context, first = self._group(state, loop, contract, range_, v)
        if loop.mode != SEQUENTIAL and (contract.invariant or contract.facts):
            names = [state.held[i.family].cells.base for i in contract.invariant if i.family in state.held]
            raise Rejected("loop", "parallel", base=next(iter(names), ""))
        number = state.counter + 1
        held, body = dict(state.held), dict[int, Family]()
        marks: tuple[Mark, ...] = ()
        for x in contract.exclusive:
            r = self._family("loop", held, x.family, x.cells.base, FULL)
            if not x.cells.ranges or x.cells.ranges[0] != (range_.low, range_.high):
                raise Rejected("loop", "shape", base=x.cells.base)
            self._found("loop", state.facts, x.cells, r, x.forward, x.back)
            at = instantiate_all(x.forward, (v, *arguments(x.cells.arity - 1)))
            owner = r.owner and r.owner.at(at)
            mine = tuple(replace(m, family=number) for m in state.marks if m.family == x.family)
            if loop.mode == THREAD:
                inner = self._owner_inside(state, r, x, context)
                owner = inner and inner.at((v, *arguments(x.cells.arity - 1)))
                part = Owner(k.mul(k.bound(x.cells.arity - 1, INT), context.threads), context.threads)
                for m in mine:
                    self._read_within(state, x.cells, m, part)
                alone = context.threads is ONE
                mine = () if alone else tuple(replace(m, reader=m.reader.moved(k.neg(first))) for m in mine)
            marks = marked(marks, *mine)
            body[number] = Family(x.cells.under((v,)), instantiate(r.value, at), instantiate(r.init, at), FULL, owner)
            held[x.family] = r.without(self._member(x.cells, r, x.back))
            number += 1
        for inv in contract.invariant:
            if inv.family not in held or held[inv.family] is not state.held[inv.family]:
                raise Rejected("loop", "shape")
            r = self._family("loop", held, inv.family, held[inv.family].cells.base, FULL)
            begin = self._at_iteration(state, r, inv, range_.low, "")
            self._contents("loop", state.facts, begin, r, arguments(r.cells.arity), inv.steps, inv.value is None)
            self._owned_by("loop", state, r, begin.owner)
            body[inv.family] = self._at_iteration(state, r, inv, v, f"{r.cells.base}#{number}")
            del held[inv.family]
            number += 1
        kept = self._invariant_marks(contract, range_.low)
        before = [m for m in state.marks if m.family in {i.family for i in contract.invariant}]
        for m, cover in zip(before, contract.covers, strict=True):
            self._covered("loop", state.facts, m, kept, cover)
        marks = marked(marks, *self._invariant_marks(contract, v))
        for n, r in held.items():
            share = LENT if loop.mode == SEQUENTIAL and r.share != READ else READ
            body[n] = replace(r, share=share, owner=r.owner and r.owner.moved(k.neg(first)))
        for p in contract.facts:
            self._require("loop", "invariant", state.facts, instantiate(p, (range_.low,)))
        taken = holds_for(loop, instantiate(range_.index, (v,)), state.value(loop.bound))  # by the choice of n
        facts = state.facts.assume(k.le(range_.low, v), k.lt(v, range_.high), taken)
        facts = facts.assume(*(instantiate(p, (v,)) for p in contract.facts))
        env = {**state.env, loop.index: instantiate(range_.index, (v,))}
        block = Block("loop", state, _Entered(contract, range_, v, context, first, marks))
        state = changed(state, facts=facts, env=env, held=body, code=loop.body, block=block, counter=number)
        return changed(state, context=context, marks=marks)

    def _group(self, state: State, loop: Loop, contract: LoopContract, range_: Range, v: Term) -> tuple[Context, Term]:
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

    def _owner_inside(self, state: State, r: Family, x: Exclusive, context: Context) -> Owner | None:
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

    def _invariant_marks(self, contract: LoopContract, v: Term) -> tuple[Mark, ...]:
        families = {i.family for i in contract.invariant}
        if any(m.family not in families for m in contract.marks):
            raise Rejected("loop", "marks")
        return tuple(m.under((v,)) for m in contract.marks)

    def _owned_by(self, rule: str, state: State, r: Family, owner: Owner | None) -> None:
        """Those threads (None: all) may access the cells of r."""
        if r.owner is None or r.owner == owner:
            return
        b, inside = self._arbitrary(state.facts, r.cells)
        least = everyone(state.context) if owner is None else owner.at(b)
        goal = r.owner.at(b).contains(least)
        self._require(rule, "owner", inside, goal, base=r.cells.base, context=state.context)

    def _at_iteration(self, state: State, r: Family, inv: Invariant, v: Term, name: str) -> Family:
        """What an invariant says of its family at iteration v; unknown contents get a name."""
        args = (v, *arguments(r.cells.arity))
        sort = state.bases[r.cells.base].sort
        value = unknown(name, r.cells.arity, sort) if inv.value is None else instantiate(inv.value, args)
        return replace(r, value=value, init=instantiate(inv.init, args), owner=inv.owner and inv.owner.at(args))

    def leave_loop(
        self, end: State, exclusive: tuple[Steps, ...], invariant: tuple[Steps, ...], covers: tuple[Cover, ...] = ()
    ) -> State:
        """After a loop: what it promised of iteration v holds at the end of its body, so it holds of all iterations.

        Exclusive cells hold what their iteration left, invariant families what they hold at the first iteration not taken. After a
        thread loop, exclusive cells belong to the threads of their iteration; what iterations have read stays marked.
        """
        entered: _Entered = self._ended(end, "loop")
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
            want = Family(cells, k.ZERO if x.value is None else instantiate(x.value, args), instantiate(x.init, args))
            self._contents("leave", end.facts, want, mine, arguments(cells.arity), steps, x.value is None)
            owners.append(self._owner_outside(before, entered, mine))
            homes[number] = x.family
            number += 1
        for inv, steps in zip(contract.invariant, invariant, strict=True):
            mine = self._given_back(rest, inv.family, before.held[inv.family].cells)
            want = self._at_iteration(before, mine, inv, k.add(v, k.ONE), "")
            self._contents("leave", end.facts, want, mine, arguments(mine.cells.arity), steps, inv.value is None)
            self._owned_by("leave", end, mine, want.owner)
        self._nothing_left("leave", end.facts, rest)
        if end.bases != before.bases:
            raise Rejected("leave", "leak", base=next(iter(end.bases.keys() ^ before.bases.keys()), ""))
        for p in contract.facts:
            self._require("leave", "invariant", end.facts, instantiate(p, (k.add(v, k.ONE),)))
        context = self._context_after(before, end, entered)
        marks = self._marks_after(before, end, entered, homes, covers)
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
        after_ = changed(before, facts=facts, held=held, code=before.code[1:], counter=counter)
        return changed(after_, context=context, marks=marks)

    def _owner_outside(self, before: State, entered: _Entered, mine: Family) -> Owner | None:
        """Who may access exclusive cells after the loop, under v and their binders."""
        threads = entered.context.threads
        if entered.context == before.context and mine.owner is None:
            return None
        owner = (mine.owner or Owner(ZERO, threads)).moved(entered.first)
        self._outlives(before, entered.v, owner.start, owner.size)
        return owner.over(entered.v, mine.cells.arity)

    def _context_after(self, before: State, end: State, entered: _Entered) -> Context:
        """The end of the body has the context of its start. Only blocks may keep shared memory, until the kernel ends: iterations
        of a thread loop have different threads (or there is only one), those of a sequential loop the same."""
        if replace(end.context, used=entered.context.used, busy=entered.context.busy) != entered.context:
            raise Rejected("leave", "context", context=end.context)
        if end.context != entered.context:
            if self._next(before, Loop).mode != THREAD:
                raise Rejected("leave", "shared", context=end.context)
            self._known(before, end.context.used, *(size for _, size in end.context.busy))
        return replace(before.context, used=end.context.used, busy=end.context.busy)

    def _marks_after(
        self, before: State, end: State, entered: _Entered, homes: dict[int, int], covers: tuple[Cover, ...]
    ) -> tuple[Mark, ...]:
        """What is marked after the loop: what was before, and what the iterations have read.

        Marks on invariant families are those of the contract. Marks of other families do not restrict the body, so what one
        iteration leaves is left by all.
        """
        contract, range_, v = entered.contract, entered.range, entered.v
        invariant = {i.family for i in contract.invariant}
        checked = [m for m in end.marks if m.family in invariant]
        at_end = self._invariant_marks(contract, k.add(v, ONE))
        for m, cover in zip(checked, covers, strict=True):
            self._covered("leave", end.facts, m, at_end, cover)
        marks = tuple(m for m in before.marks if m.family not in invariant)
        marks = marked(marks, *self._invariant_marks(contract, range_.end))
        for m in end.marks:
            if m.family in invariant or m in entered.marks:
                continue
            out = self._bound(before, m, v, range_.low, range_.high, entered.first)
            marks = marked(marks, replace(out, family=homes.get(m.family, m.family)))
        if before.context.threads is ONE:  # a single thread does not get in its own way
            return tuple(m for m in marks if before.held[m.family].share == READ)
        return marks

    def _given_back(self, rest: dict[int, Family], number: int, cells: Cells) -> Family:
        mine = rest.pop(number, None)
        if mine is None or mine.cells != cells or mine.share != FULL:
            raise Rejected("leave", "permission", base=cells.base)
        return mine

    def unroll(self, state: State) -> State:
        """A sequential loop over known numbers is its body for each of them, one after the other."""
        loop = self._next(state, Loop)
        numbers = [state.facts.simplify(state.value(t)) for t in (loop.start, loop.bound, loop.amount)]
        if loop.mode != SEQUENTIAL or not all(k.is_num(t) for t in numbers):
            raise Rejected("unroll", "numbers")
        values = _values(loop, *(t.data for t in numbers))
        code = tuple(i for value in values for i in (Let(loop.index, k.num(value), at=loop.at), *loop.body))
        return changed(state, code=code + state.code[1:])


def _values(loop: Loop, i: int, limit: int, step: int) -> list[int]:
    """The values of the index, as C computes them; a loop that gets nowhere is rejected."""
    out: list[int] = []
    while TESTS[loop.relation](i, limit):
        moves = step > 0 if loop.op in "+-" else i > 0 and step > (1 if loop.op in "*/" else 0)
        if len(out) >= 4096 or not moves:
            raise Rejected("unroll", "endless")
        out.append(i)
        i = STEPS[loop.op](i, step)
    return out
