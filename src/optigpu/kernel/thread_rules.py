"""Groups of threads: who may access which cells, and barriers (docs/logic.md, "Threads").

A group is an interval of neighbouring threads, counted from 0. The owner of a family says which of them may access its cells; a
mark says which of them have read cells since the last barrier. A barrier makes everything the group did known to all of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from optigpu.kernel.context import HOST, THREADS, Context, PendingRead, choose_owner
from optigpu.kernel.instructions import (
    DEVICE,
    GLOBAL,
    HOST_MEMORY,
    REGISTER,
    SHARED,
    Allocate,
    ArrayView,
    Barrier,
    Shuffle,
)
from optigpu.kernel.loop_contract import Cover
from optigpu.kernel.side_conditions import Conditions, Take, terms_of
from optigpu.kernel.state import Rejected, State, changed
from optigpu.logic import terms as k
from optigpu.logic.cells import FULL, READ, CellClaim, CellFamily, Cells, Owner, Terms, same
from optigpu.logic.facts import Facts
from optigpu.logic.terms import INT, ONE, ZERO, Term, instantiate_all

SPACES = {HOST: (HOST_MEMORY,), THREADS: (GLOBAL, SHARED, REGISTER, DEVICE)}
SYNCHRONISED = (GLOBAL, SHARED)
WARP = 32
ANY_LAUNCH = (k.var("gridDim#0", INT), k.var("blockDim#0", INT))  # the launch around a device function, in its contract


def everyone(context: Context) -> Owner:
    return Owner(ZERO, context.threads)


def chosen(context: Context, test: Term, a: Owner | None, b: Owner | None) -> Owner | None:
    """Who may access cells: a where the test holds, b elsewhere (None: everyone)."""
    return a if a == b else choose_owner(test, a or everyone(context), b or everyone(context))


def with_reads(old: tuple[PendingRead, ...], *new: PendingRead) -> tuple[PendingRead, ...]:
    return tuple(dict.fromkeys((*old, *new)))


def lanes(state: State, view: ArrayView) -> Cells:
    """The registers of the 32 lanes of a warp."""
    lane = k.bound(0, INT)
    index = (*state.values(view.lead), k.add(state.value(view.shift), lane))
    return Cells(view.base, ((ZERO, k.num(WARP)),), k.TRUE, index)


def lane_read(op: str, lane: Term, amount: Term) -> Term:
    """Which lane's register a lane gets, for an amount in 0..32."""
    match op:
        case "shfl_down":
            return k.ite(k.lt(k.add(lane, amount), k.num(WARP)), k.add(lane, amount), lane)
        case "shfl_up":
            return k.ite(k.le(amount, lane), k.sub(lane, amount), lane)
        case "shfl":
            return amount
        case "shfl_xor" if k.is_num(amount) and amount.data & (amount.data - 1) == 0:  # one bit, or none
            bit = k.fmod(k.fdiv(lane, amount), k.num(2)) if amount.data else ZERO
            return k.add(lane, k.mul(amount, k.sub(ONE, k.scale(2, bit))))
        case "shfl_xor":
            return k.bitwise("bxor", lane, amount)
        case _:
            raise Rejected("shuffle", "op")


def at_choice(place: Term, value: Callable[[Term], Term]) -> Term:
    """value(c ? a : b) as c ? value(a) : value(b): conditions do not pile up inside conditions."""
    return k.ite(place.args[0], value(place.args[1]), value(place.args[2])) if place.op == "ite" else value(place)


class ThreadConditions(Conditions):
    def _in_reach(self, rule: str, state: State, base: str) -> None:
        """The memory is one that whoever executes here can access."""
        if base in state.bases and state.bases[base].space not in SPACES.get(state.context.kind, ()):
            raise Rejected(rule, "space", base=base, space=state.bases[base].space, context=state.context)

    def _level(self, rule: str, state: State, size: Term, **data: Any) -> None:
        """The current group has so many threads."""
        if state.context.kind != THREADS:
            raise Rejected(rule, "context", context=state.context, **data)
        goal = k.eq(state.context.threads, size)
        self._require(rule, "level", state.facts, goal, context=state.context, size=size, **data)

    def _warp(self, rule: str, state: State, **data: Any) -> None:
        """The current group is a whole warp: it has as many threads, and warps divide the block."""
        self._level(rule, state, k.num(WARP), **data)
        whole = k.eq(k.fmod(state.context.block, k.num(WARP)), ZERO)
        self._require(rule, "warp", state.facts, whole, context=state.context)

    def _home(self, state: State, i: Allocate) -> tuple[str, Terms, Owner | None]:
        """Where an allocation lives, and its copies: shared memory has one a block, registers one a thread.

        Memory of a narrower kind than the current group has a first dimension that numbers the copies, each owned by its block or
        thread. A plain local of threads is a register that holds the same in all of them.
        """
        c, first = state.context, k.bound(len(i.dims), INT)
        match i.space, i.heap, i.distributed, c.kind:
            case ("Any", _, False, "host") | ("GMem", True, False, "host"):
                return i.space, (), None
            case "Any", False, False, "threads":
                return REGISTER, (), None
            case "SMem", True, True, "setup":
                return SHARED, (c.grid,), Owner(k.mul(first, c.block), c.block)
            case "SMem", False, False, "threads":
                self._level("allocate", state, c.block, base=i.base)
                return SHARED, (), None
            case "TReg", False, True, "threads":
                return REGISTER, (c.threads,), Owner(first, ONE)
            case _:
                raise Rejected("allocate", "context", base=i.base, space=i.space, context=c)

    def _allowed(
        self, rule: str, state: State, facts: Facts, r: CellFamily, at: Terms, cells: Cells, write: bool
    ) -> None:
        """All threads of the group may access the cell of r at these binders, and only one does if it writes.

        A register has a copy in each thread, so writing the same to all copies is no race.
        """
        base = r.cells.base
        if state.context.kind == HOST:
            return
        if r.owner is not None:
            goal = r.owner.at(at).contains(everyone(state.context))
            self._require(rule, "owner", facts, goal, base=base, cell=r.cells.at(at), other=r.owner.at(at))
        if write and state.bases[base].space != REGISTER:
            self._level(rule, state, ONE, base=base)

    def _read(self, state: State, family: int, cells: Cells) -> tuple[PendingRead, ...]:
        """The marks after the group has read cells. What a single thread reads of its own cells needs none."""
        r, context = state.held[family], state.context
        own = context.threads is ONE and r.share != READ
        if context.kind == HOST or own or state.bases[r.cells.base].space == REGISTER:
            return state.pending_reads
        return with_reads(state.pending_reads, PendingRead(family, cells, everyone(context)))

    def _covered(self, rule: str, facts: Facts, m: PendingRead, by: tuple[PendingRead, ...], cover: Cover) -> None:
        """Everything that m says was read is said by one of the other marks."""
        wider = by[cover.read] if 0 <= cover.read < len(by) else None
        if wider is None or wider.family != m.family or len(cover.forward) != wider.cells.arity:
            raise Rejected(rule, "marks", base=m.cells.base)
        b, inside = self._arbitrary(facts, m.cells)
        image = instantiate_all(cover.forward, b)
        goal = k.and_(wider.cells.domain(image), same(wider.cells.at(image), m.cells.at(b)))
        goal = k.and_(goal, wider.reader.at(image).contains(m.reader.at(b)))
        self._require(rule, "marks", inside, goal, base=m.cells.base)

    def _read_within(self, state: State, cells: Cells, m: PendingRead, part: Owner) -> None:
        """Whoever has read one of the cells is in the part of the group that takes it; all under the cells' binders."""
        b, inside = self._arbitrary(state.facts, cells)
        c, inside = self._arbitrary(inside, m.cells)
        inside = inside.assume(same(cells.at(b), m.cells.at(c)))
        goal = part.at(b).contains(m.reader.at(c))
        data = {"cell": cells.at(b), "first": part.at(b).start, "other": m.reader.at(c)}
        self._require("loop", "read", inside, goal, base=cells.base, **data)

    def _handed(self, rule: str, state: State, r: CellFamily, claim: CellClaim, take: Take) -> None:
        """Cells of r go from the group to its callee, or back: those who may access them by the claim may already.

        They are threads of the group, at least one. If they may write, nobody has read a cell since the last barrier but the only
        one who may: then no mark says more than the owner does.
        """
        b, inside = self._arbitrary(state.facts, claim.cells)
        group = everyone(state.context)
        mine, at = (claim.owner or group).at(b), instantiate_all(take.forward, b)
        theirs = group if r.owner is None else r.owner.at(at)
        goal = k.and_(theirs.contains(mine), group.contains(mine), k.le(ONE, mine.size))
        data = {"base": claim.cells.base, "cell": claim.cells.at(b), "first": mine.start, "other": theirs}
        self._require(rule, "owner", inside, goal, **data)
        for m in state.pending_reads:
            if m.family == take.family and claim.share == FULL:
                c, both = self._arbitrary(inside, m.cells)
                both = both.assume(same(claim.cells.at(b), m.cells.at(c)))
                goal = k.and_(k.eq(mine.size, ONE), mine.contains(m.reader.at(c)))
                self._require(rule, "read", both, goal, **{**data, "other": m.reader.at(c)})

    def _outlives(self, before: State, v: Term, *given: Term) -> None:
        """Terms at the end of a loop's body are about what was there before it and the iteration v."""
        self._known(before, tuple(k.substitute(t, {v: ZERO}) for t in given))

    def _bound(self, before: State, m: PendingRead, v: Term, low: Term, high: Term, moved: Term) -> PendingRead:
        """What one iteration has read, for all of them; the iteration's threads begin at `moved`."""
        self._outlives(before, v, *terms_of(m))
        return replace(m, reader=m.reader.moved(moved)).over(v, low, high)


class ThreadRules(ThreadConditions):
    def barrier(self, state: State) -> State:
        """blocksync, warpsync: the whole block (or warp) is here, and sees from now on what any of its threads did before.

        A group of as many threads as a block is a block: groups are equal parts of equal parts of the grid, so it begins at a
        multiple of its size. The same for warps if they divide the block.
        """
        i = self._next(state, Barrier)
        if i.level == "magic":  # of host code, whose magic thread loops end together anyway
            if state.context.kind != HOST:
                raise Rejected("barrier", "context", context=state.context, barrier=i.level)
            return changed(state, code=state.code[1:])
        if i.level == "block":
            self._level("barrier", state, state.context.block, barrier=i.level)
        else:
            self._warp("barrier", state, barrier=i.level)
        state = self._synchronised(changed(state, code=state.code[1:]))
        if i.level != "block":
            return state
        free = k.sub(state.context.used, k.add(ZERO, *(size for _, size in state.context.busy)))
        return changed(state, context=replace(state.context, used=free, busy=()))

    def _synchronised(self, state: State) -> State:
        """Global and shared memory that only this group has accessed is everyone's in it. Registers stay where they are.

        What others lent to the group they may have accessed too, and the barrier says nothing of them: marks on it stay, and its
        owner changes only where it is inside the group.
        """
        held = dict(state.held)
        group = everyone(state.context)
        for n, r in state.held.items():
            if r.owner is not None and state.bases[r.cells.base].space in SYNCHRONISED:
                if r.share == FULL:
                    held[n] = replace(r, owner=None)
                else:
                    held[n] = replace(r, owner=choose_owner(group.contains(r.owner), group, r.owner))
        kept = tuple(m for m in state.pending_reads if state.held[m.family].share == READ)
        return changed(state, held=held, pending_reads=kept)

    def shuffle(self, state: State, source: int, forward: Terms, target: int, forward2: Terms, back: Terms) -> State:
        """shfl_down, shfl_up, shfl_xor, shfl: lane l of a warp gets in its own register what lane f(l) has in its.

        Both registers of lane l are accessible to lane l, and the one it writes to nobody else: other lanes' copies stay as they
        are. All lanes read before one writes.
        """
        i = self._next(state, Shuffle)
        self._known(state, forward, forward2, back)
        self._warp("shuffle", state)
        amount = state.value(i.amount)
        inside = k.and_(k.le(ZERO, amount), k.lt(amount, k.num(WARP)))
        self._require("shuffle", "amount", state.facts, inside)
        read, written = (lanes(state, view) for view in (i.source, i.target))
        if state.bases[read.base].limits != state.bases[written.base].limits:
            raise Rejected("shuffle", "shape", base=written.base)
        r = self._family("shuffle", state.held, source, read.base, READ)
        w = self._family("shuffle", state.held, target, written.base, FULL)
        self._found("shuffle", state.facts, read, r, forward, None)
        self._found("shuffle", state.facts, written, w, forward2, back)
        for family, cells, at in ((r, read, forward), (w, written, forward2)):
            if state.bases[cells.base].space != REGISTER:
                raise Rejected("shuffle", "space", base=cells.base, space=state.bases[cells.base].space)
            b, lane = self._arbitrary(state.facts, cells)
            image = instantiate_all(at, b)
            mine, theirs = Owner(b[0], ONE), (family.owner or everyone(state.context)).at(image)
            goal = k.and_(theirs.contains(mine), k.TRUE if cells is read else mine.contains(theirs))
            self._require("shuffle", "owner", lane, goal, base=cells.base)
            if cells is read:
                self._require("shuffle", "init", lane, family.init_at(image), base=cells.base)
        other = lane_read(i.op, back[0], amount)
        value = at_choice(other, lambda o: r.value_at(instantiate_all(forward, (o,))))
        new = w.updated(self._member(written, w, back), value, k.TRUE)
        return changed(state, held={**state.held, target: new}, code=state.code[1:])

    def forget(self, state: State, number: int, wider: PendingRead, cover: Cover) -> State:
        """A mark may be replaced by one that says more was read."""
        self._known(state, wider, cover.forward)
        self._covered("forget", state.facts, state.pending_reads[number], (wider,), cover)
        pending_reads = (*state.pending_reads[:number], *state.pending_reads[number + 1 :])
        return changed(state, pending_reads=with_reads(pending_reads, wider))
