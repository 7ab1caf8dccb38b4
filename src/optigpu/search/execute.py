"""Symbolic execution that drives the kernel: finds the families, maps, loop contracts and proof steps that the rules ask for."""

from __future__ import annotations

from dataclasses import replace

from optigpu.elaborate.elaborated import Elaborated
from optigpu.kernel import Kernel, Rejected, State, Theorem
from optigpu.kernel import instructions as kc
from optigpu.kernel.causes import (
    BrokenLaw,
    Cause,
    ClaimedTwice,
    ClaimOutside,
    DifferentBranches,
    Leak,
    MissingPermission,
    NotAllocated,
    Operation,
    OutOfOrder,
    Overlap,
    Uninitialised,
    WrongValue,
)
from optigpu.kernel.context import THREADS
from optigpu.kernel.side_conditions import Take
from optigpu.kernel.thread_rules import lanes
from optigpu.logic import terms as k
from optigpu.logic.cells import FULL, CellFamily, Terms, arguments, box
from optigpu.logic.terms import TRUE
from optigpu.search.adjacent_families import with_adjacent_joined
from optigpu.search.call_search import CallSearch
from optigpu.search.cell_search import CellSearch
from optigpu.search.equalities.equality_search import EqualityProofs, EqualitySearch
from optigpu.search.equalities.sum_terms import abstract_step
from optigpu.search.explore.accumulation import Monoid
from optigpu.search.explore.explorer import Explorer
from optigpu.search.explore.loop_effects import LoopSummary, UnknownEffect
from optigpu.search.explore.symbolic_memory import Unexplorable, World, unknown_content
from optigpu.search.explore.tree_reduction import contents_after_step, find_tree, halved_indices, halving_steps
from optigpu.search.failure import Failed, telling
from optigpu.search.inferred_contracts import ShownLoop
from optigpu.search.loop_contract_search import LoopContractSearch
from optigpu.search.proof_states import Points
from optigpu.search.races import Access, explained, levels
from optigpu.search.search_causes import (
    Levels,
    NoLoopContract,
    ReadOnly,
    SharedByThreads,
    UnequalNestedParts,
    cells_of,
    shared_by_threads,
)
from optigpu.search.search_tools import SearchTools
from optigpu.search.thread_search import ThreadSearch

ATTEMPTS = 4  # at a loop whose start has to be weakened to what its end leaves

NEAR = 8  # instructions in which the side conditions of an expression follow a load


class Executor:
    def __init__(self, kernel: Kernel, elaborated: Elaborated, equality_proofs: EqualityProofs | None = None) -> None:
        self.kernel = kernel
        self.tools = SearchTools(kernel.judge)
        self.elaborated = elaborated
        self.explorer = Explorer(self.tools, elaborated)
        self.equalities = EqualitySearch(self.tools, equality_proofs)
        self.cells = CellSearch(self.tools, self.equalities)
        self.contracts = LoopContractSearch(self.tools, self.cells)
        self.calls = CallSearch(self.tools, kernel, elaborated, self.cells)
        self.threads = ThreadSearch(self.tools, kernel)
        self.function = ""
        self.place = 0
        self.clause: tuple[str, int] | None = None
        self.shown: dict[int, ShownLoop] = {}  # by the `at` of loops
        self.allocated: dict[str, int] = {}  # where bases were allocated
        self.points: Points | None = None  # kept if there is one
        self.accesses: list[Access] = []  # loads and stores so far
        self.current: State | None = None  # where the executor is

    # Functions

    def verify(self, name: str) -> Theorem:
        self.function, self.place, self.clause = name, 0, None
        self.accesses, self.current = [], None
        self.explorer.restart()
        self.tools.names.restart()
        f = self.kernel.program.functions[name]
        try:
            state = self.current = self.kernel.begin(name, tuple(self.cells.inverse(c) for c in f.contract.pre))
            end = self.run(state)
            self.place = 0
            return self.finish_whole(end, f)
        except Rejected as r:
            raise self.failure(name, r.cause) from None

    def failure(self, name: str, cause: Cause) -> Failed:
        """A rejection, with its place and what a person wants to know of it."""
        clause, groups = self.clause, Levels()
        if self.current is not None:
            if isinstance(cause, SharedByThreads | UnequalNestedParts):
                self.place = cause.at or self.place
            if self.current.context.kind == THREADS:
                inner = cause.inner if isinstance(cause, UnequalNestedParts) else ()
                groups = (*levels(self.current), *inner)
            cause = explained(self.tools, self.current, cause, self.accesses, self.place)
        match cause:
            case Leak(base=base) | DifferentBranches(base=base) if base in self.allocated:
                self.place, clause = self.allocated[base], None
            case ClaimOutside(claims=(_, number)) | ClaimedTwice(claims=(_, number)):
                clause = ("pre", number)
        return Failed(cause, self.place, name, clause, groups)

    def finish_whole(self, state: State, f: kc.Procedure) -> Theorem:
        """The end of a function; what a claim asks for may be in several families."""
        try:
            return self.finish(state, f)
        except Rejected as r:
            whole = self.joined_families(state, r.cause)
            if whole is None:
                raise
            return self.finish(whole, f)

    def joined_families(self, state: State, cause: Cause) -> State | None:
        """The state with neighbouring families as one, if cells were needed that no family has."""
        missing = isinstance(cause, MissingPermission)
        return with_adjacent_joined(self.kernel, self.tools, state, cause.base) if missing else None

    def finish(self, state: State, f: kc.Procedure) -> Theorem:
        takes: list[Take] = []
        held = dict(state.held)
        for i, said in enumerate(f.contract.post):
            self.clause = ("post", i)
            claim = said.substitute(dict(state.env))  # it may speak of the result
            take = self.cells.find_claim(Operation.POST, state, held, claim)
            r = held[take.family]
            takes.append(self.cells.with_steps(state.facts, claim, r, take))
            held[take.family] = r.without(self.cells.member(claim.cells, r, take.back))
        self.clause = None
        steps = tuple(self.cells.fact_steps(state.facts, state.value(p)) for p in f.contract.ensures)
        try:
            return self.kernel.finish(state, tuple(takes), steps)
        except Rejected as r:
            self.clause = self.failed_clause(state, f, r.cause)
            raise

    def failed_clause(self, state: State, f: kc.Procedure, cause: Cause) -> tuple[str, int] | None:
        """Which clause of the postcondition a rejection is about."""
        if cause.operation is Operation.ENSURES:
            facts = enumerate(f.contract.ensures)
            return next((("ensures", i) for i, p in facts if state.value(p) is cause.goal), None)
        cells, env = cells_of(cause), dict(state.env)
        return next((("post", i) for i, c in enumerate(f.contract.post) if c.cells.substitute(env) == cells), None)

    # Running code

    def run(self, state: State) -> State:
        while state.next is not None:
            if self.points is not None:
                self.points.seen(state)
            state = self.one(state)
        if self.points is not None:
            self.points.seen(state)
        return state

    def one(self, state: State) -> State:
        """The next instruction."""
        assert state.next is not None
        self.place = state.next.at or self.place
        self.current = state
        try:
            return self.step(state)
        except Rejected as r:
            whole = self.joined_families(state, r.cause)
            if whole is None:
                raise
            self.place, self.current = state.next.at or self.place, whole
            return self.step(whole)

    def step(self, state: State) -> State:
        match state.next:
            case kc.Bind():
                return self.kernel.let(state)
            case kc.Havoc():
                return self.kernel.choose(state)
            case kc.LoadCell(_, place):
                return self.access(state, place, Operation.LOAD)
            case kc.StoreCell(place):
                return self.access(state, place, Operation.STORE)
            case kc.Allocate():
                self.allocated[state.next.base] = state.next.at
                return self.kernel.allocate(state)
            case kc.Release(base):
                return self.free(state, base)
            case kc.Oblige():
                return self.kernel.oblige(state)
            case kc.Assertion(prop):
                return self.kernel.assertion(state, self.cells.fact_steps(state.facts, state.value(prop)))
            case kc.Branch():
                yes, no = self.kernel.enter_if(state)
                yes = self.run(yes)
                no = self.run(no)
                return self.kernel.join_if(yes, no)
            case kc.CountedLoop() as loop:
                return self.loop(state, loop)
            case kc.Invoke() as call:
                return self.calls.call(state, call)
            case kc.GhostStep() as ghost:
                return self.calls.ghost(state, ghost)
            case kc.LaunchKernel():
                return self.kernel.launch(state)
            case kc.Phase():
                return self.kernel.phase(state)
            case kc.Barrier():
                return self.kernel.barrier(state)
            case kc.Shuffle() as shuffle:
                return self.shuffle(state, shuffle)
            case _:
                raise Rejected(OutOfOrder(Operation.ORDER, text="nothing to execute"))

    def shuffle(self, state: State, i: kc.Shuffle) -> State:
        found: list[tuple[int, tuple[Terms, Terms]]] = []
        for view, share in ((i.source, "any"), (i.target, FULL)):
            families = self.cells.candidates(dict(state.held), view.base, share)
            n, maps = self.cells.home(state, lanes(state, view), families) if families else (0, None)
            if maps is None:
                raise Rejected(MissingPermission(Operation.SHUFFLE, view.base, facts=state.facts))
            found.append((n, maps))
        (source, (forward, _)), (target, (forward2, back)) = found
        return self.kernel.tidy(self.kernel.shuffle(state, source, forward, target, forward2, back), target)

    def access(self, state: State, place: kc.CellAddress, operation: Operation) -> State:
        index, write = state.values(place.index), operation is Operation.STORE
        last: Rejected | None = None
        for n in self.cells.candidates(dict(state.held), place.base, FULL if write else "any", index):
            at = self.tools.invert(state.held[n].cells, index, state.facts)
            if at is None:
                continue
            try:
                if write:
                    after = self.kernel.store(state, n, at)
                else:
                    after = self.kernel.load(self.plain_sums(state, n), n, at)
                self.accesses.append(Access(place.base, write, self.place))
                return after
            except Rejected as r:
                last = r if last is None or telling(r.cause) > telling(last.cause) else last
        if last is not None:
            raise last
        readable = any(r.cells.base == place.base for r in state.held.values())
        cause = ReadOnly if write and readable else MissingPermission
        raise Rejected(cause(operation, place.base, index=index, facts=state.facts))

    def plain_sums(self, state: State, n: int) -> State:
        """What a family holds, with nested sums as sums over one range, if a side condition is about it: those have no steps."""
        load = state.next
        near = state.code[1:NEAR]
        if not isinstance(load, kc.LoadCell) or not any(
            isinstance(i, kc.Oblige) and load.target in i.prop.free for i in near
        ):
            return state
        r = state.held[n]
        xs = self.tools.temporaries(r.cells.arity)
        inside = state.facts.assume(r.cells.domain(xs), r.init_at(xs))
        value, steps = self.equalities.forms.plain(inside, r.value_at(xs))
        if not steps:
            return state
        return self.kernel.restate(
            state, n, TRUE, k.abstract(value, xs), tuple(abstract_step(self.tools, s, xs) for s in steps)
        )

    def free(self, state: State, base: str) -> State:
        info = state.bases.get(base)
        families = self.cells.candidates(dict(state.held), base, FULL)
        if info is None or not families or any(d is None for d in info.dims):
            raise Rejected(NotAllocated(Operation.FREE, base, facts=state.facts))
        whole = box(base, tuple(d for d in info.dims if d is not None))
        xs = self.tools.temporaries(whole.arity)
        forward = self.tools.invert(state.held[families[0]].cells, xs, state.facts.assume(whole.domain(xs)))
        if forward is None:
            raise Rejected(MissingPermission(Operation.FREE, base, facts=state.facts))
        return self.kernel.free(state, families[0], tuple(k.abstract(t, xs) for t in forward))

    # Loops

    def loop(self, state: State, loop: kc.CountedLoop, bounded: bool = True) -> State:
        """The loop by a contract that is found here; `bounded`: with ranges of the variables that it changes."""
        if loop.op not in ("+", "-"):
            return self.unrolled(state, loop)
        if loop.mode == kc.THREAD and state.context.kind == THREADS:
            self.threads.extents(state, loop, state.context.threads)
        world = self.world(state)
        try:
            summary = self.explorer.recalled_summary(loop, world) or self.explorer.summarise(loop, world)
            contract = self.contracts.contract(state, summary, bounded)
        except Rejected as r:
            if isinstance(r.cause, ReadOnly):
                self.blame(summary, r)
            raise
        except Unexplorable as e:
            if e.why == "race":
                raise Rejected(SharedByThreads(Operation.LOOP, e.base, at=e.at)) from None
            raise Rejected(NoLoopContract(Operation.INFER, e.base, why=e.why, facts=state.facts)) from None
        if any(isinstance(e, UnknownEffect) for e in summary.effects.values()) and self.explorer.few_values(
            loop, world
        ):
            return self.kernel.unroll(state)
        contract = replace(
            contract, invariant=tuple(self.contracts.entry_steps(state, summary, i) for i in contract.invariant)
        )
        contract = self.threads.contract(state, loop, summary, contract)
        number = state.counter + 1
        v = state.fresh(str(loop.index.data), k.INT)
        self.explorer.iterations[summary.v] = v
        for _ in range(ATTEMPTS):
            self.current = state
            try:
                body = self.kernel.enter_loop(state, contract)
            except Rejected as r:
                self.blame(summary, r)
                if loop.mode == kc.THREAD and isinstance(r.cause, Overlap):
                    raise Rejected(shared_by_threads(r.cause)) from None
                raise
            end = self.threads.outliving(self.run(body), state)
            wider = self.threads.widened(state, end, contract, summary, v)
            if wider is None:
                break
            contract = wider
        self.place = loop.at
        self.shown[loop.at] = ShownLoop(loop, contract, summary.range, v, state)
        exclusive, invariant = self.contracts.exit_steps(end, contract, v, number)
        covers = self.threads.exit_covers(end, contract, v)
        self.current = end
        try:
            after = self.kernel.leave_loop(end, exclusive, invariant, covers)
        except Rejected as r:
            if isinstance(r.cause, BrokenLaw):  # the actual contents do not show what those of the exploration did
                return self.loop(state, loop, False)
            if isinstance(r.cause, WrongValue | Uninitialised) and self.explorer.few_values(loop, world):
                return self.kernel.unroll(state)
            raise
        for n in {x.family for x in contract.exclusive} | {i.family for i in contract.invariant}:
            after = self.kernel.tidy(after, n)
        return after

    def world(self, state: State) -> World:
        """The start of an exploration from here."""
        contents = {b: unknown_content(self.tools, b, len(info.dims), info.sort) for b, info in state.bases.items()}
        return World(state.facts, dict(state.env), contents)

    def unrolled(self, state: State, loop: kc.CountedLoop) -> State:
        """A loop over known numbers, one iteration after the other; a tree reduction with its contents said anew after each."""
        start = self.kernel.unroll(state)
        world = self.world(state)
        values = self.explorer.geometric_values(loop, world)
        tree = find_tree(self.tools, self.explorer.run, loop, world, values) if values else None
        if tree is None or values is None:
            return start
        families = self.cells.candidates(dict(state.held), tree.base, FULL)
        if len(families) != 1:
            return start
        (n,) = families
        after, each = len(state.code) - 1, 1 + len(loop.body)
        entry, state = state.held[n], start
        for done, h in enumerate(values, 1):
            while len(state.code) > after + each * (len(values) - done):
                state = self.one(state)
            restated = contents_after_step(self.tools, tree, h, entry, state.held[n], state.facts)
            if restated is not None:
                want = CellFamily(entry.cells, restated[1], restated[0])
                if tree.monoid is Monoid.SUM:
                    steps = halving_steps(self.tools, tree, h, want, state.facts)
                else:
                    steps = self.cells.value_steps(
                        state.facts, want, state.held[n], arguments(want.cells.arity), halved_indices
                    )
                try:
                    state = self.kernel.tidy(self.kernel.restate(state, n, *restated, steps), n)
                except Rejected:
                    continue
        return state

    def blame(self, summary: LoopSummary, r: Rejected) -> None:
        """The statement in the loop because of which its contract needs what it does not have."""
        self.place = summary.blamed_instruction(r.cause.base) or self.place
