"""Rules for functions, straight-line code, branches, and for writing the same contents differently."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from optigpu.kernel import instructions as kc
from optigpu.kernel.context import HOST, TEARDOWN, THREADS, Context, PendingRead
from optigpu.kernel.ledger import Theorem
from optigpu.kernel.side_conditions import Take, terms_of, within
from optigpu.kernel.state import Base, OpenBlock, Rejected, State, changed, first_state
from optigpu.kernel.thread_rules import ANY_LAUNCH, SPACES, ThreadConditions, chosen, with_reads
from optigpu.logic import terms as k
from optigpu.logic.cells import FULL, READ, CellFamily, Cells, Owner, Terms, arguments, box, same, single, unknown
from optigpu.logic.equality import EqualitySteps
from optigpu.logic.terms import TRUE, ZERO, Term, instantiate, instantiate_all


class Rules(ThreadConditions):
    # Functions

    def begin(self, name: str, inverses: tuple[Terms, ...]) -> State:
        """The start of a function: its precondition is assumed.

        Each claimed family is injective by an inverse of its index (binders as terms under the index), and claims on one array do
        not overlap unless both only read: otherwise no caller could fulfil the contract, and everything would follow from it.
        Claimed cells lie within the declared sizes: then different indices are different places in memory.
        """
        f = self.program.functions[name]
        facts = self.judge.root.assume(*(p for _, p in self.program.axioms), *f.contract.requires)
        self.ledger.axioms.update(a for a, _ in self.program.axioms)
        bases = {p.name: Base(p.sort, p.dims, p.space, False, limits=p.limits) for p in f.params if p.dims is not None}
        if any(b.space not in (SPACES[THREADS] if f.device else (kc.HOST_MEMORY, kc.GLOBAL)) for b in bases.values()):
            raise Rejected("begin", "space", base=next(iter(bases)))
        sizes = {p.name: p.bytes if p.space in (kc.HOST_MEMORY, kc.GLOBAL) else 0 for p in f.params}
        for claim in f.contract.pre:
            facts = self._in_memory(facts, claim.cells, sizes[claim.cells.base])
        context = Context(THREADS, f.threads, *ANY_LAUNCH) if f.device else Context()
        state = first_state(facts, bases, f.body, OpenBlock("function", None, f), len(f.contract.pre) + 1, context)
        self._known(state, inverses)
        held: dict[int, CellFamily] = {}
        for i, claim in enumerate(f.contract.pre):
            cells = claim.cells
            b, inside = self._arbitrary(facts, cells)
            mine: dict[str, Any] = {"base": cells.base, "claims": (i, i)}
            for e, d in zip(cells.at(b), bases[cells.base].dims):
                if d is not None:
                    self._require("begin", "outside", inside, k.and_(k.le(ZERO, e), k.lt(e, d)), **mine)
            if claim.share == FULL:
                self._require("begin", "twice", inside, same(instantiate_all(inverses[i], cells.at(b)), b), **mine)
            for j, other in enumerate(f.contract.pre[:i]):
                if other.cells.base == cells.base and FULL in (claim.share, other.share):
                    c, both = self._arbitrary(inside, other.cells)
                    goal = k.not_(same(cells.at(b), other.cells.at(c)))
                    self._require("begin", "twice", both, goal, base=cells.base, claims=(j, i))
            r = held[i + 1] = claim.family(f"{cells.base}#{i + 1}", bases[cells.base].sort)
            facts = facts.assume(_all_within(r, bases[cells.base].limits))
        return changed(state, held=held, facts=facts)

    def finish(self, state: State, takes: tuple[Take, ...], steps: tuple[EqualitySteps, ...]) -> Theorem:
        """The end of a function: exactly the postcondition is held, and it is true. What is left over is a leak.

        Cells are given back to those who may access them by the postcondition, and read by nobody else since the last barrier.
        """
        f = self._ended(state, "function")
        self._known(state, steps)
        if state.context.kind != (THREADS if f.device else HOST):
            raise Rejected("launch", "context", context=state.context, to=HOST)
        held = dict(state.held)
        for claim, take in zip((c.substitute(dict(state.env)) for c in f.contract.post), takes, strict=True):
            r = self._claimed("post", state, held, claim, take)
            self._handed("post", state, r, claim, take)
            held[take.family] = r.without(self._member(claim.cells, r, take.back))
        for goal, by in zip(f.contract.ensures, steps, strict=True):
            self._prove_fact("ensures", state.facts, state.value(goal), by)
        self._nothing_left("leak", state.facts, held)
        for name, base in state.bases.items():
            if base.heap:
                raise Rejected("leak", "leak", base=name)
        return self.ledger.proved(f, self.program)

    # Straight-line code

    def let(self, state: State) -> State:
        """x = e: from here on, x stands for the value of e, or for that modulo 2^bits, which is e where it fits."""
        i = self._next(state, kc.Bind)
        value = state.value(i.value)
        if i.bits and not self.judge.proves(state.facts, within(value, (0, (1 << i.bits) - 1))):
            value = state.facts.simplify(k.fmod(value, k.num(1 << i.bits)))
        return changed(state, env={**state.env, i.target: value}, code=state.code[1:])

    def choose(self, state: State) -> State:
        """x is some value, the same for all threads of the group: from here on, nothing else is known of it."""
        i = self._next(state, kc.Havoc)
        value = state.fresh(str(i.target.data), i.target.sort)
        facts, env = state.facts.assume(within(value, i.limits)), {**state.env, i.target: value}
        return changed(state, facts=facts, env=env, code=state.code[1:], counter=state.counter + 1)

    def load(self, state: State, family: int, at: Terms) -> State:
        """x = *p: the cell is one that the state holds, with any share, and has been written; x gets its value."""
        i = self._next(state, kc.LoadCell)
        r, need = self._accessed("load", state, i.place, family, at, READ)
        self._require("load", "init", state.facts, r.init_at(at), base=i.place.base, cells=need)
        value = state.facts.simplify(r.value_at(at))
        facts = state.facts.assume(within(value, state.bases[i.place.base].limits))  # as all that was stored there
        env = {**state.env, i.target: value}
        return changed(state, facts=facts, env=env, pending_reads=self._read(state, family, need), code=state.code[1:])

    def store(self, state: State, family: int, at: Terms) -> State:
        """*p = e: the cell is held with full share; from here on it holds e, and the rest of its family what it held.
        e is a number of the cell's type."""
        i = self._next(state, kc.StoreCell)
        r, _ = self._accessed("store", state, i.place, family, at, FULL)
        value = state.value(i.value)
        self._fits("store", state, value, state.bases[i.place.base].limits, base=i.place.base)
        new = r.updated(same(arguments(r.cells.arity), at), value, TRUE)
        return changed(state, held={**state.held, family: new}, code=state.code[1:])

    def _accessed(
        self, rule: str, state: State, place: kc.CellAddress, family: int, at: Terms, share: str
    ) -> tuple[CellFamily, Cells]:
        """The cell at a place is one of the family, at these binders, and whoever executes here may access it."""
        self._known(state, at)
        self._in_reach(rule, state, place.base)
        r = self._family(rule, state.held, family, place.base, share)
        need = single(place.base, state.values(place.index))
        self._found(rule, state.facts, need, r, at, None)
        self._allowed(rule, state, state.facts, r, at, need, write=share == FULL)
        return r, need

    def allocate(self, state: State) -> State:
        """A new base, distinct from all others, whose cells are held uninitialised. Its sizes are not negative."""
        i = self._next(state, kc.Allocate)
        if i.base in state.bases:
            raise Rejected("allocate", "the base exists already", base=i.base)
        if any(name == i.base for name, _ in state.context.busy):
            raise Rejected("allocate", "busy", base=i.base)
        dims = state.values(i.dims)
        sizes = k.and_(*(k.le(k.ZERO, d) for d in dims))
        self._require("allocate", "size", state.facts, sizes, base=i.base)
        space, copies, owner = self._home(state, i)
        amount = k.mul(k.num(i.bytes), *dims) if space == kc.SHARED else ZERO
        context = replace(state.context, used=k.add(state.context.used, amount))
        if space == kc.SHARED:
            enough = k.and_(k.lt(ZERO, k.num(i.bytes)), k.le(context.used, context.shared))
            self._require("allocate", "shared", state.facts, enough, base=i.base, context=context)
        value = unknown(f"{i.base}#{state.counter}", len(copies) + len(dims), i.sort)
        family = CellFamily(box(i.base, (*copies, *dims)), value, k.FALSE, FULL, owner)
        bases = {**state.bases, i.base: Base(i.sort, (*copies, *dims), space, i.heap, amount, i.limits)}
        held = {**state.held, state.counter: family}
        facts = self._in_memory(state.facts.assume(sizes), box(i.base, dims), i.bytes)
        after = changed(state, facts=facts, bases=bases, held=held, code=state.code[1:])
        return changed(after, counter=state.counter + 1, context=context)

    def free(self, state: State, family: int, forward: Terms) -> State:
        """free(p), or the end of a local's scope: all cells of the base are held with full share, in one family.

        Shared memory of a block can be used again only when no thread is using it any more: after a barrier.
        """
        i = self._next(state, kc.Release)
        self._known(state, forward)
        base = state.bases.get(i.base)
        if base is None or base.heap != i.heap or any(d is None for d in base.dims):
            raise Rejected("free", "not allocated", base=i.base)
        narrow = {kc.SHARED: TEARDOWN if base.heap else THREADS, kc.REGISTER: THREADS}
        if narrow.get(base.space, HOST) != state.context.kind:
            raise Rejected("free", "context", base=i.base, space=base.space, context=state.context)
        r = self._family("free", state.held, family, i.base, FULL)
        whole = box(i.base, tuple(d for d in base.dims if d is not None))
        self._found("free", state.facts, whole, r, forward, r.cells.index)
        gone = {n for n, f in state.held.items() if f.cells.base == i.base}
        idle = r.owner is None and not any(m.family in gone for m in state.pending_reads)
        context = state.context
        if idle:  # only shared memory takes bytes
            context = replace(context, used=k.sub(context.used, base.bytes))
        elif base.space == kc.SHARED:
            context = replace(context, busy=(*context.busy, (i.base, base.bytes)))
        held = {n: f for n, f in state.held.items() if n not in gone}
        bases = {n: b for n, b in state.bases.items() if n != i.base}
        pending_reads = tuple(m for m in state.pending_reads if m.family not in gone)
        return changed(state, held=held, bases=bases, code=state.code[1:], context=context, pending_reads=pending_reads)

    def oblige(self, state: State) -> State:
        """The side condition of a partial operation: proved, and known from here on."""
        i = self._next(state, kc.Oblige)
        prop = state.value(i.prop)
        for goal in k.conjuncts(prop):
            if i.why == "overflow" and self.program.unbounded and not self.judge.proves(state.facts, goal):
                self.ledger.unbounded.add(i.at)
            else:
                self._require("oblige", i.why, state.facts, goal)
        return changed(state, facts=state.facts.assume(prop), code=state.code[1:])

    def assertion(self, state: State, steps: EqualitySteps) -> State:
        """A fact of the user's: proved, and known from here on."""
        i = self._next(state, kc.Assertion)
        self._known(state, steps)
        prop = state.value(i.prop)
        self._prove_fact("assert", state.facts, prop, steps)
        return changed(state, facts=state.facts.assume(prop), code=state.code[1:])

    def ghost(self, state: State, takes: tuple[Take, ...], steps: tuple[EqualitySteps, ...]) -> State:
        """A proof step that claims the same of the same cells: its requirements, both its sides and its results are proved.

        A state says exactly which cells are held and what they hold, however that is written; so nothing in it changes.
        """
        i = self._next(state, kc.GhostStep)
        self._known(state, steps)
        for p in state.values(i.requires):
            self._require("ghost", "fact", state.facts, p)
            state = changed(state, facts=state.facts.assume(p))
        for side, found in ((i.pre, takes[: len(i.pre)]), (i.post, takes[len(i.pre) :])):
            held = dict(state.held)
            for claim, take in sorted(zip(side, found, strict=True), key=lambda one: one[0].share):  # full ones first
                c = claim.substitute(dict(state.env))
                r = self._claimed("ghost", state, held, c, take)
                if c.share == FULL:
                    held[take.family] = r.without(self._member(c.cells, r, take.back))
        for p, by in zip(state.values(i.ensures), steps, strict=True):
            self._prove_fact("ghost", state.facts, p, by)
            state = changed(state, facts=state.facts.assume(p))
        return changed(state, code=state.code[1:])

    # The same contents, written differently

    def tidy(self, state: State, family: int) -> State:
        """Contents simplified by what holds of the family's cells."""
        r = state.held[family]
        b, inside = self._arbitrary(state.facts, r.cells)
        value = k.abstract(inside.simplify(r.value_at(b)), b)
        init = k.abstract(inside.simplify(r.init_at(b)), b)
        owner = r.owner and Owner(*(k.abstract(inside.simplify(t), b) for t in terms_of(r.owner.at(b))))
        return changed(state, held={**state.held, family: replace(r, value=value, init=init, owner=owner)})

    def restate(self, state: State, family: int, known: Term, value: Term, steps: EqualitySteps) -> State:
        """The contents of a family said in another way where `known`; elsewhere they get a name and nothing more is said."""
        self._known(state, known, value, steps)
        r, n = state.held[family], state.held[family].cells.arity
        want = CellFamily(r.cells, value, k.and_(known, r.init))
        self._contents("restate", state.facts, want, r, arguments(n), steps, False)
        other = unknown(f"{r.cells.base}#{state.counter}", n, state.bases[r.cells.base].sort)
        new = replace(r, value=k.ite(known, value, other))
        return changed(state, held={**state.held, family: new}, counter=state.counter + 1)

    def gather(self, state: State, cells: Cells, test: Term, takes: tuple[Take, Take]) -> State:
        """Cells of two families as one: where `test` (under the binders) holds, from the first, the others from the second.

        The family is injective: two binders of one cell are both on one side, since what is taken second is not what was taken
        first and no cell is in two families; and on one side they are equal, by `take`. What is not taken stays where it is.
        All threads of the group may access what both families hold, and no read is forgotten: there are no owners and no marks.
        """
        self._known(state, cells, test, takes)
        if test.level > cells.arity:
            raise Rejected("gather", "shape", base=cells.base)
        held, contents = dict(state.held), []
        for take, side in zip(takes, (test, k.not_(test)), strict=True):
            r = self._family("gather", held, take.family, cells.base, FULL)
            if r.owner is not None or any(m.family == take.family for m in state.pending_reads):
                raise Rejected("gather", "owner", base=cells.base)
            part = replace(cells, where=k.and_(cells.where, side))
            self._found("gather", state.facts, part, r, take.forward, take.back)
            contents.append((instantiate(r.value, take.forward), instantiate(r.init, take.forward)))
            left = r.without(self._member(part, r, take.back))
            _, inside = self._arbitrary(state.facts, left.cells)
            held |= {take.family: left}
            if self.judge.proves(inside, k.FALSE):  # no cell is left
                del held[take.family]
        (value, init), (other, other_init) = contents
        held[state.counter] = CellFamily(cells, k.ite(test, value, other), k.ite(test, init, other_init))
        return changed(state, held=held, counter=state.counter + 1)

    # Branches

    def enter_if(self, state: State) -> tuple[State, State]:
        """Both branches start from the same state, each knowing which one it is."""
        i = self._next(state, kc.Branch)
        test = state.value(i.test)
        out = []
        for condition, code in ((test, i.then), (k.not_(test), i.other)):
            facts = state.facts.assume(condition)
            block = OpenBlock("if", state, (condition, len(facts.given)))
            out.append(changed(state, facts=facts, code=code, block=block))
        return out[0], out[1]

    def join_if(self, yes: State, no: State) -> State:
        """Afterwards each family holds `c ? v1 : v2`. Both branches hold the same cells and have freed what they allocated.

        All threads of the group take the same branch, so owners and marks are those of one branch or the other.
        """
        (test, start), (opposite, other_start) = self._ended(yes, "if"), self._ended(no, "if")
        before = yes.block.before
        if before is None or before is not no.block.before or k.not_(test) is not opposite:
            raise Rejected("join", "these are not the two branches of one if")
        if yes.held.keys() != no.held.keys() or yes.bases != no.bases:
            raise Rejected("join", "branches", base=_difference(yes, no))
        used = k.max_(yes.context.used, no.context.used)
        context = replace(yes.context, used=used)
        if context != replace(no.context, used=used):
            raise Rejected("join", "context", context=no.context)
        held = {}
        for n, r in yes.held.items():
            s = no.held[n]
            if (r.cells, r.share) != (s.cells, s.share):
                raise Rejected("join", "branches", base=r.cells.base)
            init = k.or_(k.and_(test, r.init), k.and_(opposite, s.init))
            owner = chosen(context, test, r.owner, s.owner)
            held[n] = replace(r, value=k.ite(test, r.value, s.value), init=init, owner=owner)
        pending_reads = tuple(m for m in yes.pending_reads if m in no.pending_reads)
        pending_reads = with_reads(
            pending_reads, *(_where(m, test) for m in yes.pending_reads if m not in pending_reads)
        )
        pending_reads = with_reads(
            pending_reads, *(_where(m, opposite) for m in no.pending_reads if m not in yes.pending_reads)
        )
        env = {x: k.ite(test, yes.env[x], no.env[x]) for x in yes.env.keys() & no.env.keys()}
        learned = [k.implies(test, f) for f in yes.facts.given[start:]]
        learned += [k.implies(opposite, f) for f in no.facts.given[other_start:]]
        facts, counter = before.facts.assume(*learned), max(yes.counter, no.counter)
        after = changed(before, facts=facts, env=env, held=held, bases=yes.bases, code=before.code[1:], counter=counter)
        return changed(after, context=context, pending_reads=pending_reads)


def _all_within(r: CellFamily, limits: kc.Limits) -> Term:
    """What cells of a machine type hold, where they hold something, are numbers of that type."""
    fact = k.implies(k.and_(r.cells.where, r.init), within(r.value, limits))
    for low, high in reversed(r.cells.ranges):
        fact = k.big("all", low, high, fact)
    return fact


def _where(m: PendingRead, test: Term) -> PendingRead:
    """A mark, if the (closed) test holds."""
    return replace(m, cells=replace(m.cells, where=k.and_(m.cells.where, test)))


def _difference(yes: State, no: State) -> str:
    for n in sorted(yes.held.keys() ^ no.held.keys()):
        return (yes.held.get(n) or no.held[n]).cells.base
    return next(iter(yes.bases.keys() ^ no.bases.keys()), "")
