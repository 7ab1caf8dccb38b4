"""Loops in the symbolic execution that drives the kernel: by an inferred contract, or unrolled.

The contract is inferred from an exploration of the body. If the kernel then rejects the end of the body, a loop of a few known
iterations is unrolled; a loop that multiplies or divides its index always is.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias, TypeVar

from optigpu.kernel import Kernel, Rejected, State
from optigpu.kernel import instructions as kc
from optigpu.kernel.causes import BrokenLaw, Operation, Overlap, Uninitialised, WrongStage, WrongValue
from optigpu.kernel.context import THREADS
from optigpu.kernel.loop_contract import EnteredLoop, LoopContract
from optigpu.kernel.thread_conditions import ANY_LAUNCH, launch_of
from optigpu.light_dataclass import replace
from optigpu.logic import terms as k
from optigpu.logic.cells import FULL, CellFamily, arguments
from optigpu.logic.quantifiers import UNIVERSAL
from optigpu.logic.terms import INT, Term
from optigpu.search.atomic_search import AtomicSearch
from optigpu.search.cell_search import CellSearch
from optigpu.search.content_names import ContentNames
from optigpu.search.contract_annotations import InferredLoop
from optigpu.search.explore.accumulation import Monoid
from optigpu.search.explore.explorer import Explorer
from optigpu.search.explore.loop_effects import LoopSummary, may_be_unknown
from optigpu.search.explore.symbolic_memory import Content, SharedCells, Unexplorable, World, unknown_content
from optigpu.search.explore.tree_reduction import (
    Tree,
    TreeArray,
    contents_after_step,
    find_tree,
    halved_indices,
    halving_steps,
)
from optigpu.search.failure import Progress
from optigpu.search.inverse import function_held, left_inverses
from optigpu.search.loop_contract_search import LoopContractSearch
from optigpu.search.races import Access
from optigpu.search.search_causes import NoLoopContract, ReadOnly, SharedByThreads, shared_by_threads
from optigpu.search.search_tools import SearchTools
from optigpu.search.thread_search import ThreadSearch

MAX_WIDENINGS = 4  # of a contract, to what the end of the body leaves


class RunsCode(Protocol):
    """The execution that a loop is part of."""

    @property
    def progress(self) -> Progress: ...
    @property
    def names(self) -> ContentNames: ...
    def run(self, state: State) -> State: ...
    def step(self, state: State) -> State: ...


A = TypeVar("A")
Calls: TypeAlias = list[tuple[str, tuple[object, ...], object]]  # rules, with their arguments and what they made


class ReplaysLoops(Protocol[A]):
    """Remembers the proofs of loops, and calls their rules again where the same loop starts from the same."""

    def begin(self, state: State, loop: kc.CountedLoop, variables: frozenset[Term], accesses: list[Access]) -> A: ...
    def again(self, attempt: A, accesses: list[Access]) -> Calls | None: ...
    def end(self, attempt: A, after: State, accesses: list[Access]) -> None: ...


class LoopExecution:
    """Leads the kernel from before a loop to after it."""

    def __init__(
        self,
        tools: SearchTools,
        kernel: Kernel,
        explorer: Explorer,
        cells: CellSearch,
        atomics: AtomicSearch,
        executor: RunsCode,
    ) -> None:
        self.tools, self.kernel, self.explorer, self.cells = tools, kernel, explorer, cells
        self.atomics = atomics
        self.executor = executor
        self.replay: ReplaysLoops[Any] | None = None
        self.contracts = LoopContractSearch(tools, cells)
        self.threads = ThreadSearch(tools, kernel)
        self.inferred: dict[int, InferredLoop] = {}  # by the `at` of loops

    def loop(self, state: State, loop: kc.CountedLoop) -> State:
        """Execute a loop, as an earlier proof did if there is one."""
        if loop.mode == kc.PIPELINED and not any(isinstance(i, kc.AwaitStage) for i in kc.instructions_in(loop.body)):
            raise Rejected(
                WrongStage(Operation.LOOP, text="the body of a pipelined loop does not wait: pipeline_wait();")
            )
        if self.replay is None:
            return self._searched(state, loop)
        accesses = self.executor.progress.accesses
        attempt = self.replay.begin(state, loop, self.explorer.variables_of(loop), accesses)
        calls = self.replay.again(attempt, accesses)
        after = self._searched(state, loop) if calls is None else self._after(calls)
        self.replay.end(attempt, after, accesses)
        return after

    def _after(self, calls: Calls) -> State:
        """Note the contracts of the loops in a proof; the state at its end."""
        bodies: dict[int, tuple[LoopContract, State]] = {}
        for rule, args, result in calls:
            match rule, args, result:
                case "enter_loop", (State() as state, LoopContract() as contract), State() as body:
                    bodies[id(state)] = contract, body
                case "leave_loop", (State() as end, *_), _:
                    entered, before = end.block.opened_by, end.block.before
                    assert isinstance(entered, EnteredLoop) and before is not None
                    loop, (contract, body) = before.next, bodies[id(before)]
                    assert isinstance(loop, kc.CountedLoop)
                    self.inferred[loop.at] = InferredLoop(loop, contract, entered.range, entered.v, before, body, end)
        last = calls[-1][-1]
        assert isinstance(last, State)
        return last

    def _searched(self, state: State, loop: kc.CountedLoop, bounded: bool = True) -> State:
        """Execute a loop by a contract that is looked for. `bounded`: with ranges of the variables that it changes."""
        if loop.op not in ("+", "-"):
            return self._unrolled(state, loop)
        if loop.mode == kc.THREAD and state.context.kind == THREADS:
            self.threads.check_extents(state, loop, state.context.threads)
        state = self._collected(state, loop)
        world = self._world(state)
        summary, contract = self._infer(state, loop, world, bounded)
        has_unknown = any(may_be_unknown(e) for e in summary.effects.values())
        if has_unknown and self.explorer.few_values(loop, world):
            return self._unrolled(state, loop)
        invariant = tuple(self.contracts.entry_steps(state, summary, i) for i in contract.invariant)
        contract = self.threads.contract(state, loop, summary, replace(contract, invariant=invariant))
        v = state.iteration(loop.index)
        self.explorer.iterations[summary.v] = v
        body, end, contract = self._run_body(state, loop, summary, contract, v)
        progress = self.executor.progress
        progress.at = loop.at
        self.inferred[loop.at] = InferredLoop(loop, contract, summary.range, v, state, body, end)
        exclusive, invariant_steps = self.contracts.exit_steps(end, contract, v, state.counter + 1)
        covers = self.threads.exit_covers(end, contract, v)
        progress.state = end
        try:
            after = self.kernel.leave_loop(end, exclusive, invariant_steps, covers)
        except Rejected as r:
            if isinstance(r.cause, BrokenLaw):  # the actual contents do not show what those of the exploration did
                return self._searched(state, loop, bounded=False)
            if isinstance(r.cause, WrongValue | Uninitialised) and self.explorer.few_values(loop, world):
                return self.kernel.unroll(state)
            raise
        for n in {x.family for x in contract.exclusive} | {i.family for i in contract.invariant}:
            after = self.kernel.tidy(after, n)
        return after

    def _collected(self, state: State, loop: kc.CountedLoop) -> State:
        """Collect the arrays to which iterations add; what keeps the group from it is reported at the first such operation."""
        try:
            return self.atomics.collected(state, loop)
        except Rejected as r:
            atomics = (i for i in kc.instructions_in(loop.body) if isinstance(i, kc.AccumulateCell))
            at = next((i.at for i in atomics if i.place.base == r.cause.base), 0)
            self.executor.progress.at = at or self.executor.progress.at
            raise

    def _infer(
        self, state: State, loop: kc.CountedLoop, world: World, bounded: bool
    ) -> tuple[LoopSummary, LoopContract]:
        """Explore the loop and build its contract."""
        try:
            summary = self.explorer.recalled_summary(loop, world) or self.explorer.summarise(loop, world)
            return summary, self.contracts.contract(state, summary, bounded)
        except Rejected as r:
            if isinstance(r.cause, ReadOnly):
                self._blame(summary, r)
            raise
        except SharedCells as e:
            raise Rejected(SharedByThreads(Operation.LOOP, e.base, at=e.at)) from None
        except Unexplorable as e:
            raise Rejected(NoLoopContract(Operation.INFER, e.base, obstacle=e.obstacle, facts=state.facts)) from None

    def _run_body(
        self, state: State, loop: kc.CountedLoop, summary: LoopSummary, contract: LoopContract, v: Term
    ) -> tuple[State, State, LoopContract]:
        """Execute the body, from its start to its end; widen the contract until it assumes the pending reads and owners that the
        end of the body leaves."""
        for _ in range(MAX_WIDENINGS):
            self.executor.progress.state = state
            try:
                body = self.kernel.enter_loop(state, contract)
            except Rejected as r:
                self._blame(summary, r)
                if loop.mode == kc.THREAD and isinstance(r.cause, Overlap):
                    raise Rejected(shared_by_threads(r.cause)) from None
                raise
            end = self.executor.names.unfolded(self.executor.run(body), state)
            end = self.threads.with_lasting_reads(end, state)
            wider = self.threads.widened(end, contract, summary, v)
            if wider is None:
                break
            contract = wider
        return body, end, contract

    def _blame(self, summary: LoopSummary, r: Rejected) -> None:
        """Report the statement in the loop that causes the rejection."""
        progress = self.executor.progress
        progress.at = summary.blamed_instruction(r.cause.base) or progress.at

    def _world(self, state: State) -> World:
        """Start an exploration from here."""
        contents = {b: unknown_content(self.tools, b, info.dims, info.sort) for b, info in state.bases.items()}
        facts = state.facts.assume(*self._facts_about_contents(state, contents))
        return World(facts, {**state.env, **dict(zip(ANY_LAUNCH, launch_of(state.context)))}, contents)

    def _facts_about_contents(self, state: State, contents: dict[str, Content]) -> list[Term]:
        """Where an array holds a function P with a left inverse, the facts about P, as facts about the contents of the array."""
        known = left_inverses(state.facts)
        out: list[Term] = []
        for base, content in contents.items() if known else ():
            families = self.cells.candidates(dict(state.held), base, "any")
            held = {function_held(state.held[n]) for n in families if content.sort is INT and content.rank}
            for p in sorted(p for p in held if p in known):
                out += [
                    k.substitute(i, {p: content.start}) for i in state.facts.items if i.op in UNIVERSAL and p in i.free
                ]
        return out

    # Loops over known numbers

    def _unrolled(self, state: State, loop: kc.CountedLoop) -> State:
        """Execute one iteration after the other; restate the contents of a tree reduction after each."""
        start = self.kernel.unroll(state)
        world = self._world(state)
        values = self.explorer.geometric_values(loop, world) or self.explorer.few_values(loop, world)
        tree = find_tree(self.tools, self.explorer.run, loop, world, values) if values else None
        if tree is None or values is None:
            return start
        families = [self.cells.candidates(dict(state.held), a.base, FULL) for a in tree.arrays]
        if any(len(numbers) != 1 for numbers in families):
            return start
        after, each = len(state.code) - 1, 1 + len(loop.body)
        entry, state = {a.base: state.held[n] for a, (n,) in zip(tree.arrays, families)}, start
        names = self.executor.names
        allowed, names.allowed = names.allowed, False
        for iteration, (h, (i, number)) in enumerate(zip(tree.steps, tree.values), 1):
            self.explorer.iterations[i] = k.num(
                number
            )  # what was found out about an arbitrary step is used for this one
            while len(state.code) > after + each * (len(values) - iteration):
                state = self.executor.step(state)
            for a, (n,) in zip(tree.arrays, families):
                state = self._restated(state, n, tree, a, h, entry)
        names.allowed = allowed
        return state

    def _restated(
        self, state: State, n: int, tree: Tree, array: TreeArray, h: int, entry: dict[str, CellFamily]
    ) -> State:
        """Restate the contents after the step h of a tree reduction in terms of those at its entry, if that can be proved."""
        contents = contents_after_step(self.tools, tree, array, h, entry, state.held[n], state.facts)
        if contents is None:
            return state
        init, value = contents
        want = CellFamily(entry[array.base].cells, value, init)
        if tree.monoid is Monoid.SUM:
            steps = halving_steps(self.tools, tree, h, want, state.facts)
        else:
            binders = arguments(want.cells.arity)
            steps = self.cells.value_steps(state.facts, want, state.held[n], binders, halved_indices)
        try:
            return self.kernel.tidy(self.kernel.restate(state, n, init, value, steps), n)
        except Rejected:
            return state
