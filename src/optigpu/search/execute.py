"""Symbolic execution that drives the kernel: finds the families, maps, loop contracts and proof steps that the rules ask for."""

from __future__ import annotations

from dataclasses import field

from optigpu.elaborate.elaborated import Elaborated
from optigpu.kernel import Kernel, Rejected, State, Theorem
from optigpu.kernel import instructions as kc
from optigpu.kernel.causes import Cause, MissingPermission, NotAllocated, Operation, OutOfOrder
from optigpu.kernel.pipeline_rules import is_staged
from optigpu.kernel.side_conditions import Take
from optigpu.kernel.thread_rules import lanes
from optigpu.light_dataclass import dataclass
from optigpu.logic import terms as k
from optigpu.logic.cells import FULL, LENT, Terms, box
from optigpu.logic.terms import REAL, TRUE, instantiate
from optigpu.search.adjacent_families import with_adjacent_joined
from optigpu.search.atomic_search import AtomicSearch
from optigpu.search.call_search import CallSearch
from optigpu.search.cell_search import CellSearch
from optigpu.search.content_names import ContentNames, Nameless, meaning
from optigpu.search.equalities.equality_search import EqualityProofs, EqualitySearch
from optigpu.search.equalities.sum_terms import abstract_step
from optigpu.search.explore.explorer import Explorer
from optigpu.search.explore.remembered_summaries import RememberedSummaries
from optigpu.search.failure import Progress, information
from optigpu.search.fresh_names import scoped
from optigpu.search.inverse import injective_functions, left_inverses
from optigpu.search.loop_execution import LoopExecution
from optigpu.search.proof_states import ProofStates
from optigpu.search.races import Access, accumulating_around
from optigpu.search.search_causes import ReadOnly, StillAccumulating, cells_of
from optigpu.search.search_tools import SearchTools
from optigpu.search.tile_search import TileSearch
from optigpu.search.watch import Watch

OBLIGATION_DISTANCE = 8  # instructions after a load among which are the side conditions of its expression


@dataclass(frozen=True, slots=True)
class FoundEarlier:
    """What searches for the proofs of earlier programs found, of one judge."""

    equality_proofs: EqualityProofs = field(default_factory=dict)
    summaries: RememberedSummaries = field(default_factory=RememberedSummaries)


class Executor:
    """Proves functions: leads the kernel from the start of a function to its end, one rule after the other."""

    def __init__(
        self,
        kernel: Kernel,
        elaborated: Elaborated,
        found: FoundEarlier | None = None,
        names: ContentNames | None = None,
        watch: Watch | None = None,
    ) -> None:
        """`found`: what earlier searches found. `names`: for large contents. `watch` is told where the proof is."""
        self.kernel = kernel
        self.tools = SearchTools(kernel.judge, watch)
        found = found or FoundEarlier()
        self.explorer = Explorer(self.tools, elaborated, found.summaries)
        self.equalities = EqualitySearch(self.tools, found.equality_proofs)
        self.cells = CellSearch(self.tools, self.equalities)
        self.calls = CallSearch(self.tools, kernel, elaborated, self.cells)
        self.atomics = AtomicSearch(self.tools, kernel, self.cells)
        self.tiles = TileSearch(kernel, self.cells)
        self.loops = LoopExecution(self.tools, kernel, self.explorer, self.cells, self.atomics, self)
        self.names = names or ContentNames(kernel, Nameless())
        self.progress = Progress("")
        self.states: ProofStates | None = None  # kept if there is one

    # Functions

    def verify(self, name: str) -> Theorem:
        """Prove that a function satisfies its contract. Raises Failed."""
        self.progress = Progress(name)
        self._restart_search()
        f = self.kernel.program.functions[name]
        try:
            required = self.tools.judge.root.assume(*f.contract.requires)
            facts = required if left_inverses(required) else self.tools.judge.root
            state = self.kernel.begin(name, tuple(self.cells.inverse(c, facts) for c in f.contract.pre))
            state = self.progress.state = self._with_inverses(state)
            end = self.run(state)
            self.progress.at = 0
            self.tools.watch.step(0, "end of the function")
            return self.finish(end, f)
        except Rejected as r:
            raise self.progress.failure(self.tools, r.cause) from None

    def _restart_search(self) -> None:
        """Forget what was found out about other code: the search for this code then meets the terms that it met there before."""
        self.explorer.restart()
        self.tools.names.restart()

    def _with_inverses(self, state: State) -> State:
        """Introduce the left inverse of each function that a fact says is injective, on the range of an array."""
        ranges = dict.fromkeys(r.cells.ranges[0] for r in state.held.values() if r.cells.arity == 1)
        for f in sorted(injective_functions(state.facts) - left_inverses(state.facts).keys()):
            for low, high in ranges:
                try:
                    state = self.kernel.inverse(state, f, low, high)
                    break
                except Rejected:
                    continue
        return state

    def finish(self, state: State, f: kc.Procedure) -> Theorem:
        """Apply the rule for the end of a function; if a claim spans several families, join them first."""
        state = self.names.unfolded(state)
        try:
            return self._finish(state, f)
        except Rejected as r:
            joined = self._with_families_joined(state, r.cause)
            if joined is None:
                raise
            return self._finish(joined, f)

    def _finish(self, state: State, f: kc.Procedure) -> Theorem:
        takes: list[Take] = []
        held = dict(state.held)
        for i, claim in enumerate(f.contract.post):
            self.progress.clause = ("post", i)
            claim = claim.substitute(dict(state.env))  # it may speak of the result
            takes.append(self.cells.take(Operation.POST, state, held, claim, state.facts))
        self.progress.clause = None
        steps = tuple(self.cells.fact_steps(state.facts, state.value(p)) for p in f.contract.ensures)
        try:
            return self.kernel.finish(state, tuple(takes), steps)
        except Rejected as r:
            self.progress.clause = _failed_clause(state, f, r.cause)
            raise

    def _with_families_joined(self, state: State, cause: Cause) -> State | None:
        """Join adjacent families, if the rejection was for cells that no family has."""
        missing = isinstance(cause, MissingPermission)
        return with_adjacent_joined(self.kernel, self.tools, state, cause.base) if missing else None

    # Instructions

    def run(self, state: State) -> State:
        """Execute the rest of the current block."""
        while state.next is not None:
            if self.states is not None:
                self.states.record(state)
            state = self.step(state)
        if self.states is not None:
            self.states.record(state)
        return state

    @scoped
    def step(self, state: State) -> State:
        """Execute the next instruction; if it needs cells that span several families, join them first."""
        assert state.next is not None
        if state.block.before is None:
            self._restart_search()
        self.progress.at = state.next.at or self.progress.at
        self.tools.watch.step(state.next.at, "loop" if isinstance(state.next, kc.CountedLoop) else "statement")
        self.progress.state = state
        try:
            return self._execute(state)
        except Rejected as r:
            joined = self._with_families_joined(state, r.cause)
            if joined is None:
                raise
            self.progress.at, self.progress.state = state.next.at or self.progress.at, joined
            return self._execute(joined)

    def _execute(self, state: State) -> State:
        match state.next:
            case kc.Bind():
                return self.kernel.let(state)
            case kc.Havoc():
                return self.kernel.choose(state)
            case kc.LoadCell(_, address):
                return self._access(state, address, Operation.LOAD)
            case kc.StoreCell(address):
                return self._access(state, address, Operation.STORE)
            case kc.AccumulateCell(address) as atomic:
                after = self.atomics.accumulate(state, atomic)
                self.progress.accesses.append(Access(address.base, True, self.progress.at))
                return after
            case kc.Allocate():
                self.progress.allocated[state.next.base] = state.next.at
                return self.kernel.allocate(state)
            case kc.Release(base):
                return self._free(state, base)
            case kc.Oblige():
                return self.kernel.oblige(state)
            case kc.Assertion(prop):
                state = self.names.unfolded(state)
                return self.kernel.assertion(state, self.cells.fact_steps(state.facts, state.value(prop)))
            case kc.Branch():
                yes, no = self.kernel.enter_if(state)
                yes = self.names.as_defined(self.run(yes), state)
                no = self.names.as_defined(self.run(no), state)
                return self.kernel.join_if(*self.atomics.agreed(yes, no))
            case kc.CountedLoop() as loop:
                after = self.loops.loop(state, loop)
                plain = loop.mode in (kc.THREAD, kc.FRAG)
                return self.names.named(self._with_plain_variables(after, state) if plain else after)
            case kc.Invoke() as call:
                state = self.names.unfolded(state)
                return self.names.named(self.calls.call(state, call))
            case kc.GhostStep() as ghost:
                return self.calls.ghost(self.names.unfolded(state), ghost)
            case kc.LaunchKernel():
                return self.kernel.launch(state)
            case kc.Phase():
                return self.kernel.phase(self.atomics.shown_to_fit(state))
            case kc.Barrier():
                return self.kernel.barrier(self.atomics.shown_to_fit(state))
            case kc.Shuffle() as shuffle:
                return self._shuffle(state, shuffle)
            case kc.MultiplyTiles() | kc.ReduceRows() | kc.CopyTile() | kc.AwaitStage() as tiles:
                return self.tiles.execute(state, tiles)
            case _:
                raise Rejected(OutOfOrder(Operation.ORDER, text="nothing to execute"))

    def _access(self, state: State, address: kc.CellAddress, operation: Operation) -> State:
        """Apply the rule for a load or store to the first family for which the kernel accepts it."""
        index, write = state.values(address.index), operation is Operation.STORE
        rejected: Rejected | None = None
        for n in self.cells.candidates(dict(state.held), address.base, FULL if write else "any", index):
            at = self.tools.invert(state.held[n].cells, index, state.facts)
            if at is None:
                continue
            try:
                if write:
                    after = self.kernel.store(state, n, at)
                else:
                    after = self.kernel.load(self._with_plain_sums(state, n), n, at)
                self.progress.accesses.append(Access(address.base, write, self.progress.at))
                return after
            except Rejected as r:
                if rejected is None or information(r.cause) > information(rejected.cause):
                    rejected = r
        if rejected is not None:
            raise rejected
        shares = [state.held[n].share for n in self.cells.candidates(dict(state.held), address.base, "any")]
        if not shares and accumulating_around(state, address.base):
            raise Rejected(StillAccumulating(operation, address.base, facts=state.facts))
        cause = ReadOnly if write and shares else MissingPermission
        raise Rejected(cause(operation, address.base, index=index, facts=state.facts))

    def _with_plain_sums(self, state: State, n: int) -> State:
        """Restate nested sums of a family as sums over one range, if the value is that of a variable, or an obligation, which has
        no steps, is about it: what is computed from a sum of partial sums is then as small as what the contract says of it."""
        load = state.next
        if not isinstance(load, kc.LoadCell):
            return state
        soon = state.code[1:OBLIGATION_DISTANCE]
        obliged = any(isinstance(i, kc.Oblige) and load.target in i.prop.free for i in soon)
        updated = any(isinstance(i, kc.StoreCell) and i.place.base == load.place.base for i in soon)
        if obliged or (not updated and _is_variable(state, n)):
            state = self._restated_plainly(state, n)
        named = obliged and not state.definitions.keys().isdisjoint(state.held[n].value.free)
        return self.names.as_defined(state, state.block.before) if named else state

    def _with_plain_variables(self, state: State, before: State) -> State:
        """The same for the variables that the threads of a group have changed, before their contents get names."""
        for n, r in state.held.items():
            changed = n not in before.held or before.held[n].value is not r.value
            if changed and r.share == FULL and _is_variable(state, n):
                state = self._restated_plainly(state, n)
        return state

    @scoped
    def _restated_plainly(self, state: State, n: int) -> State:
        """Restate nested sums of a family as sums over one range. Names that contracts of loops around may mention stay."""
        around = state.block.before
        r = state.held[n]
        xs = self.tools.temporaries(r.cells.arity)
        inside = state.facts.assume(r.cells.domain(xs), r.init_at(xs))
        value = instantiate(meaning(state, r.value, around), xs)
        if not any(t.args[2].op in ("sum", "ite") for t in k.subterms_with(value, "sum")):
            return state
        value, steps = self.equalities.forms.plain(inside, value)
        if not steps:
            return state
        bound_steps = tuple(abstract_step(self.tools, s, xs) for s in steps)
        return self.kernel.restate(self.names.as_defined(state, around), n, TRUE, k.abstract(value, xs), bound_steps)

    def _free(self, state: State, base: str) -> State:
        info = state.bases.get(base)
        families = self.cells.candidates(dict(state.held), base, LENT if is_staged(state, base) else FULL)
        if info is None or not families or any(d is None for d in info.dims):
            raise Rejected(NotAllocated(Operation.FREE, base, facts=state.facts))
        whole = box(base, tuple(d for d in info.dims if d is not None))
        xs = self.tools.temporaries(whole.arity)
        forward = self.tools.invert(state.held[families[0]].cells, xs, state.facts.assume(whole.domain(xs)))
        if forward is None:
            raise Rejected(MissingPermission(Operation.FREE, base, facts=state.facts))
        return self.kernel.free(state, families[0], tuple(k.abstract(t, xs) for t in forward))

    def _shuffle(self, state: State, i: kc.Shuffle) -> State:
        homes: list[tuple[int, tuple[Terms, Terms]]] = []
        for view, share in ((i.source, "any"), (i.target, FULL)):
            families = self.cells.candidates(dict(state.held), view.base, share)
            n, maps = self.cells.home(state, lanes(state, view), families) if families else (0, None)
            if maps is None:
                raise Rejected(MissingPermission(Operation.SHUFFLE, view.base, facts=state.facts))
            homes.append((n, maps))
        (source, (forward, _)), (target, (target_forward, back)) = homes
        return self.kernel.tidy(self.kernel.shuffle(state, source, forward, target, target_forward, back), target)


def _failed_clause(state: State, f: kc.Procedure, cause: Cause) -> tuple[str, int] | None:
    """Find the clause of the postcondition that a rejection is about."""
    if cause.operation is Operation.ENSURES:
        facts = enumerate(f.contract.ensures)
        return next((("ensures", i) for i, p in facts if state.value(p) is cause.goal), None)
    cells, env = cells_of(cause), dict(state.env)
    return next((("post", i) for i, c in enumerate(f.contract.post) if c.cells.substitute(env) == cells), None)


def _is_variable(state: State, n: int) -> bool:
    """Is it the family of a real variable?"""
    info = state.bases[state.held[n].cells.base]
    return info.sort is REAL and all(d is k.ONE for d in info.dims)
