"""The machine that runs compiled functions: calls with their contracts, loops, parallel loops, thread loops, assertions.

A contract is checked on the concrete state. At a call, the logical variables of the contract are bound to what memory holds, its
facts must be true, its permissions become the rights of the function, and memory that it `writes` becomes uninitialised. At the
end, its postcondition must hold, and memory that it neither produces nor preserves must be freed. A formula that has no
computable value is skipped, and the report says so.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from typing import TypeAlias

from greenlet import getcurrent, greenlet

from optigpu.interp.contract_evaluation import AFTER, BEFORE, ContractChecker, Skipped, facts, resources
from optigpu.interp.effort import STEP, Effort
from optigpu.interp.formula_evaluation import CellRef, ClaimedCell, Evaluator
from optigpu.interp.gpu_model import HOST_SWITCH
from optigpu.interp.happens_before import TaskPath
from optigpu.interp.heap import UNINIT, Allocation, MemoryView, Rights, index_of
from optigpu.interp.iteration_cells import IterationCells, ReadCells, require_unchanged
from optigpu.interp.misbehaviour import CannotEvaluate, Misbehaviour, OutOfFuel
from optigpu.interp.numeric_values import RuntimeValue
from optigpu.interp.thread_scheduler import CallContext, ThreadBody, describe_group
from optigpu.interp.tile_model import TileModel
from optigpu.light_dataclass import dataclass
from optigpu.syntax.diagnostic import Label
from optigpu.syntax.program import Clause, Define, Function, Item, LogicDef, Program, Role, logical_variables
from optigpu.syntax.source import Loc
from optigpu.syntax.types import Space

Frame: TypeAlias = list[RuntimeValue]  # one slot for each local name
FrameLayout: TypeAlias = dict[str, tuple[int, bool]]  # name -> its slot, and whether it is a memory cell
Closure: TypeAlias = "Callable[[Machine, Frame], RuntimeValue]"
DEFAULT_FUEL = 3_000_000
STEPS_PER_THREAD = 10  # fuel that the start of a thread takes


@dataclass(frozen=True, slots=True)
class CompiledFunction:
    """A function ready to run."""

    function: Function
    frame_size: int
    body: Closure
    inner_sizes: list[list[Closure] | None]  # of each array parameter, compared with those of the argument


@dataclass(frozen=True, slots=True)
class LoopCode:
    """A loop without its header: where its index is, its body, and what its contract can name."""

    index: str
    slot: int
    body: Closure
    contract: tuple[Clause, ...]
    layout: FrameLayout
    loc: Loc


@dataclass(slots=True)
class PreparedCall:
    """A call whose arguments satisfy the precondition, before the first statement. `env`: the values of logical variables."""

    target: CompiledFunction
    frame: Frame
    rights: Rights | None
    env: dict[str, RuntimeValue]


class Machine(TileModel):
    """One run of a program: its memory, its random schedule, and its remaining fuel."""

    def __init__(
        self, program: Program, functions: Mapping[str, CompiledFunction], seed: int, fuel: int, effort: Effort
    ) -> None:
        super().__init__(seed)
        self.functions = functions
        self.fuel = fuel
        self.effort = effort
        self.skipped = Skipped()
        definitions: dict[str, RuntimeValue] = {}
        evaluator = Evaluator(self, definitions, effort)
        for item in program.flat_items():
            if isinstance(item, LogicDef | Define):
                definitions[item.name] = evaluator.value(item.value, {})
        self.evaluator = evaluator
        self.contracts = ContractChecker(evaluator, self.skipped)

    def step(self) -> None:
        """Use up one unit of fuel; statements and iterations do."""
        self.fuel -= 1
        self.effort.spent += STEP
        if self.fuel < 0:
            raise OutOfFuel

    # Calls

    def call(self, name: str, args: Sequence[RuntimeValue], loc: Loc) -> RuntimeValue:
        """Call a function: check its precondition, run it with the rights of its contract, check its postcondition."""
        return self.run(self.prepare(name, args, loc))

    def prepare(self, name: str, args: Sequence[RuntimeValue], loc: Loc) -> PreparedCall:
        """Do everything before the first statement of the function: check that it can be called with these arguments."""
        target = self.functions[name]
        f = target.function
        if f.declared_only:
            caller = f"; line {loc.line} calls it" if loc.line else ""
            raise CannotEvaluate(
                f"`{name}` is admitted without a body: there is nothing to run{caller}", loc if caller else f.loc
            )
        self.check_side(f, loc)
        self.check_device_memory(f, args, loc)
        frame: Frame = [None] * target.frame_size
        frame[: len(args)] = args
        self.check_group(target, dict(zip((p.name for p in f.params), args)), loc)
        self.check_sizes(target, frame, loc)
        if not f.contract or self.is_collective():
            return PreparedCall(target, frame, self.rights, {})
        env = self.contracts.bind(f.contract, {p.name: a for p, a in zip(f.params, args)})
        at = loc if loc.line else None
        self.contracts.check_facts(facts(f.contract, "requires"), env, "OG211", f"a precondition of `{f.name}`", at)
        return PreparedCall(target, frame, self.rights_of(target, env, loc), env)

    def run(self, call: PreparedCall) -> RuntimeValue:
        """Run the body, and check the postcondition (OG212) and leaks (OG205)."""
        f, env = call.target.function, call.env
        launched_before = self.kernel
        result = self.enter(call)
        if self.kernel is not launched_before and self.kernel is not None:
            raise Misbehaviour("OG226", "this kernel is not ended by the function that launches it", self.kernel.loc)
        if not f.contract or self.is_collective():
            return result
        if result is not None:
            env["_Res"] = result
        self.contracts.check_facts(facts(f.contract, "ensures"), env, "OG212", f"the postcondition of `{f.name}`")
        kept = self.check_produced(call.target, env)
        assert call.rights is not None
        self.check_leaks(call.target, call.rights, kept)
        return result

    def check_sizes(self, target: CompiledFunction, frame: Frame, loc: Loc) -> None:
        """The inner sizes of an array parameter must be those of the argument, because they fix its layout (OG218)."""
        for slot, sizes in enumerate(target.inner_sizes):
            if not sizes:
                continue
            have = frame[slot].dims()[1:]
            want = tuple(size(self, frame) for size in sizes)
            if have != want:
                p = target.function.params[slot]
                message = f"`{p.name}` is passed with inner sizes {have}, but is declared with {want}"
                raise Misbehaviour("OG218", message, loc if loc.line else p.loc, (Label(p.loc, "declared here"),))

    def check_side(self, f: Function, loc: Loc) -> None:
        """Host code can call only host functions, device code only device functions (OG226)."""
        device = self.thread is not None
        if loc.line and device and self.magic:
            raise Misbehaviour("OG226", f"`{f.name}` is called in a magic thread loop, where no threads run", loc)
        if loc.line and device != (f.role is Role.DEVICE):
            caller, callee = ("device", "host") if device else ("host", "device")
            raise Misbehaviour("OG226", f"`{f.name}` is a {callee} function, but {caller} code calls it", loc)

    def check_device_memory(self, f: Function, args: Sequence[RuntimeValue], loc: Loc) -> None:
        """Threads do not pass default memory to a device function (OG223)."""
        for a in args if self.thread is not None else ():
            if isinstance(a, MemoryView) and a.alloc.space is Space.ANY:
                message = f"`{f.name}` is for memory of the GPU, but gets `{a.alloc.name}`, which is in host memory"
                raise Misbehaviour("OG223", message, loc)

    def check_group(self, target: CompiledFunction, env: dict[str, RuntimeValue], loc: Loc) -> None:
        """A device function must be called by a group of as many threads as its `ThreadsCtx` states (OG228). From the host, only
        a function for single threads can be tested."""
        f = target.function
        group = f.token("ThreadsCtx")
        if f.role is not Role.DEVICE:
            return
        size = 1 if group is None else len(self.evaluator.value(group.args[0], {**env, **self.group_placeholders(f)}))
        if self.thread is None and group is not None:
            raise CannotEvaluate(f"`{f.name}` takes a group of {size} threads", f.loc)
        if self.thread is not None and self.thread.size != size:
            message = (
                f"`{f.name}` is for groups of {size} threads, but is called at a level of {describe_group(self.thread)}"
            )
            raise Misbehaviour("OG228", message, loc)

    def group_placeholders(self, f: Function) -> dict[str, int]:
        """Values for the logical variables of a group such as `t` in `ThreadsCtx(t ..+ 32)`: only its size matters."""
        return dict.fromkeys(logical_variables(f.contract), 0)

    def is_collective(self) -> bool:
        """Whether a group of several threads executes this code. Its contracts are about all of them, and are not checked."""
        return self.thread is not None and self.thread.size > 1 and not self.magic

    def enter(self, call: PreparedCall) -> RuntimeValue:
        outer = self.context()
        self.rights, self.logic, self.depth = call.rights, call.env, self.depth + 1
        try:
            return call.target.body(self, call.frame)
        finally:
            self.restore(outer)

    def rights_of(self, target: CompiledFunction, env: dict[str, RuntimeValue], loc: Loc) -> Rights:
        """The rights that the precondition gives: its cells, which the caller must have rights to (OG215). No cell may be claimed
        twice, unless both claims only read it (OG217). Cells that are only written become uninitialised."""
        f = target.function
        cells: dict[tuple[int, int], bool] = {}
        erased: list[tuple[MemoryView, int]] = []
        arrays: dict[int, Allocation] = {}
        where = loc if loc.line else f.loc
        for kind, item in resources(f.contract, BEFORE):

            def fail(claim: ClaimedCell, why: str, item: Item = item) -> Misbehaviour:
                return Misbehaviour(
                    "OG211",
                    f"a precondition of `{f.name}` does not hold: {why}",
                    where,
                    (Label(item.loc, "required here"),),
                )

            for claim in self.contracts.check_claims(item.body, env, fail, values=kind != "writes"):
                key = (id(claim.view.alloc), claim.flat())
                write = kind != "reads"
                if key in cells and (write or cells[key]):
                    name = index_of(claim.view.alloc, claim.flat())
                    raise Misbehaviour(
                        "OG217",
                        f"the contract of `{f.name}` claims {name} twice",
                        where,
                        (Label(item.loc, "the second time here"),),
                    )
                if self.rights is not None and claim.view.alloc.depth < self.rights.depth:
                    self.check_rights(claim.view.alloc, claim.flat(), write, where)
                cells[key] = write
                arrays[key[0]] = claim.view.alloc
                if kind == "writes" or claim.contents == "uninit":
                    erased.append((claim.view, claim.flat()))
                if self.path:
                    self.note(claim.view.alloc, claim.flat(), where, write=write)
        for view, flat in erased:
            view.alloc.data[flat] = UNINIT
        return Rights(f.name, cells, self.depth + 1, tuple(arrays.values()))

    def check_produced(self, target: CompiledFunction, env: dict[str, RuntimeValue]) -> set[tuple[int, int]]:
        """Check the permissions of the postcondition (OG212); returns their cells."""
        f = target.function
        kept: set[tuple[int, int]] = set()
        for _, item in resources(f.contract, AFTER):

            def fail(claim: ClaimedCell, why: str, item: Item = item) -> Misbehaviour:
                return Misbehaviour("OG212", f"the postcondition of `{f.name}` does not hold: {why}", item.loc)

            kept |= {(id(c.view.alloc), c.flat()) for c in self.contracts.check_claims(item.body, env, fail)}
        return kept

    def check_leaks(self, target: CompiledFunction, rights: Rights, kept: set[tuple[int, int]]) -> None:
        """All memory that the function allocated or consumed is freed, or in its postcondition (OG205)."""
        f = target.function
        for alloc in self.live:
            own = alloc.depth > self.depth
            cells = [(id(alloc), flat) for flat in range(len(alloc.data))]
            lost = any(cell not in kept and (own or rights.cells.get(cell)) for cell in cells)
            if lost or (own and not cells):
                where = (Label(f.loc, "until the end of this function"),)
                raise Misbehaviour("OG205", f"`{alloc.name}` is never freed", alloc.loc, where)
        for alloc in rights.arrays:
            for flat in range(len(alloc.data) if alloc.alive and not alloc.heap else 0):
                if rights.cells.get((id(alloc), flat)) and (id(alloc), flat) not in kept:
                    message = f"{index_of(alloc, flat)} is consumed, and neither freed nor given back"
                    raise Misbehaviour("OG205", message, f.loc)

    # Loops

    def annotated_loop(self, values: Generator[int, None, int], loop: LoopCode, frame: Frame) -> None:
        """A sequential loop. Its contract is checked at the start and at the end of each iteration, its invariant also after
        the last one, with the final value of the index."""
        slot, body, contract = loop.slot, loop.body, loop.contract
        if self.is_collective():
            for i in values:
                frame[slot] = i
                body(self, frame)
            return
        cells = IterationCells(self)
        while True:
            try:
                frame[slot] = next(values)
            except StopIteration as end:
                frame[slot] = end.value
                self.check_invariant(contract, self.formula_env(loop.layout, frame))
                return
            env = self.formula_env(loop.layout, frame)
            self.check_invariant(contract, env)
            read = self.check_loop(contract, env, cells)
            body(self, frame)
            self.check_loop(contract, env, cells, read)

    def check_invariant(self, contract: tuple[Clause, ...], env: dict[str, RuntimeValue]) -> None:
        self.contracts.check_facts(facts(contract, "invariant"), env, "OG213", "the invariant of this loop")

        def fail(claim: ClaimedCell, why: str) -> Misbehaviour:
            return Misbehaviour("OG213", f"the invariant of this loop does not hold: {why}", claim.loc)

        for _, item in resources(contract, frozenset({"preserves"}), "s"):
            self.contracts.check_claims(item.body, env, fail)

    def check_loop(
        self,
        contract: tuple[Clause, ...],
        env: dict[str, RuntimeValue],
        cells: IterationCells,
        read: ReadCells | None = None,
    ) -> ReadCells:
        """Check the part of a loop contract that is about single iterations, at the start or the end of one (OG213). Returns what
        the cells hold that the iteration only reads; at its end this is given, and compared."""
        if not contract:
            return []
        start = read is None
        what = "the contract of this loop"
        if start:
            env.update(self.contracts.bind(contract, env, "x"))
            for clause in ("xrequires", "srequires"):
                self.contracts.check_facts(facts(contract, clause), env, "OG213", what)
        else:
            self.contracts.check_facts(facts(contract, "xensures"), env, "OG213", what)
        when = "start" if start else "end"

        def fail(claim: ClaimedCell, why: str) -> Misbehaviour:
            return Misbehaviour("OG213", f"{what} does not hold at the {when} of an iteration: {why}", claim.loc)

        own: list[ClaimedCell] = []
        reads: list[ClaimedCell] = []
        for kind, item in resources(contract, BEFORE if start else AFTER, "x"):
            claims = self.contracts.check_claims(item.body, env, fail, values=not (start and kind == "writes"))
            (reads if kind == "reads" else own).extend(claims)
        for _, item in resources(contract, frozenset({"reads"}), "s"):
            reads += self.contracts.check_claims(item.body, env, fail)
        only_read = list(reads)
        for _, item in resources(contract, frozenset({"preserves"} if start else {}), "s"):
            reads += self.contracts.claims(item.body, env)
        cells.add(own, reads, start=start)
        require_unchanged(read or [])
        return [(c, c.view.alloc.data[c.flat()]) for c in only_read]

    def parallel_loop(self, values: Iterable[int], loop: LoopCode, frame: Frame) -> None:
        """Each iteration is a task with a copy of the frame. Tasks take turns at random; an access to memory may end a turn."""
        region = self.new_region()
        outer_path, outer_hub, context = self.path, self.hub, self.context()
        me = getcurrent()
        cells = IterationCells(self)
        tasks = [_IterationTask(self, frame, loop, i, cells, me, (*outer_path, (region, i)), context) for i in values]
        try:
            while tasks:
                at = self.random.randrange(len(tasks))
                self.hub = me
                if tasks[at].run_until_it_yields():
                    tasks[at] = tasks[-1]
                    tasks.pop()
                if outer_hub is not None and self.random.random() < HOST_SWITCH:
                    self.path, self.hub = outer_path, outer_hub
                    self.restore(context)
                    outer_hub.switch()
        finally:
            self.path, self.hub = outer_path, outer_hub
            self.restore(context)

    def openmp_loop(self, values: Iterable[int], loop: LoopCode, frame: Frame) -> None:
        """`#pragma omp parallel for`, which only host code has."""
        if self.thread is not None:
            raise Misbehaviour("OG226", "a parallel loop of the host stands in device code", loop.loc)
        self.parallel_loop(values, loop, frame)

    def thread_loop(self, values: range, loop: LoopCode, frame: Frame) -> None:
        """`thread for` with N iterations, executed by a group of M threads: each iteration is executed by M / N of them, in
        order. N must divide M. A thread executes only the iteration of its part of the group."""
        thread = self.thread
        if thread is None:
            raise Misbehaviour("OG226", "a thread loop is executed outside a kernel", loop.loc)
        if self.magic:
            raise Misbehaviour("OG226", "a thread loop stands in a magic thread loop, where no threads run", loop.loc)
        base, size, loops, count = thread.base, thread.size, thread.loops, len(values)
        if count == 0 or size % count:
            message = (
                f"a thread loop of {count} iterations divides {describe_group(thread)}: {count} does not divide {size}"
            )
            raise Misbehaviour("OG220", message, loop.loc)
        part = size // count
        which = (thread.number - base) // part
        frame[loop.slot] = value = values[which]
        thread.base, thread.size, thread.loops = base + which * part, part, (*loops, (loop.index, value))
        if loop.contract and part == 1:
            env, cells = self.formula_env(loop.layout, frame), IterationCells(self)
            read = self.check_loop(loop.contract, env, cells)
            loop.body(self, frame)
            self.check_loop(loop.contract, env, cells, read)
        else:
            loop.body(self, frame)
        thread.base, thread.size, thread.loops = base, size, loops
        if self.in_order and self.hub is not None and self.kernel is not None and size == self.kernel.block:
            self.hub.switch()

    def magic_loop(self, values: Iterable[int], loop: LoopCode, frame: Frame) -> None:
        """`magic thread for`: a group executes all iterations as one, each of them as a task of its own. On the host the iterations
        end together; in a kernel, only a magic barrier orders them before what follows."""

        def iterations() -> None:
            outer, clock = self.magic, self.clock
            self.magic = outer + 1
            try:
                self.parallel_loop(values, loop, frame)
            finally:
                self.magic, self.clock = outer, clock

        self.as_one("magic thread for", loop.loc, iterations)

    def device_code(self, body: Closure, frame: Frame, loc: Loc) -> None:
        """Execute the code from `kernel_setup_end` to `kernel_teardown_begin` in every thread of the grid, each with a copy of the
        frame."""
        kernel = self.next_phase("kernel_setup_end", "setup", "device", loc)
        if kernel.grid * kernel.block * STEPS_PER_THREAD > self.fuel:
            raise OutOfFuel

        def thread_body() -> ThreadBody:
            self.fuel -= STEPS_PER_THREAD
            self.effort.spent += STEP * STEPS_PER_THREAD
            own = list(frame)
            return lambda: body(self, own)

        self.run_threads(kernel, thread_body)
        kernel.phase = "teardown"

    def formula_env(self, layout: FrameLayout, frame: Frame) -> dict[str, RuntimeValue]:
        """The values that names have in a formula at this point of the program."""
        local = {
            name: CellRef(frame[slot]) if cell else frame[slot]
            for name, (slot, cell) in layout.items()
            if frame[slot] is not None
        }
        return {**self.logic, **local}

    def check_assertions(self, items: tuple[Item, ...], layout: FrameLayout, frame: Frame) -> None:
        env = self.formula_env(layout, frame)
        for item in items:
            try:
                holds = self.evaluator.truth(item.body, env)
            except CannotEvaluate as e:
                self.skipped.note(e.loc, e.why)
                continue
            if not holds and not self.skipped.leaves_open(item.loc):
                values = self.contracts.value_note(item.body, env)
                raise Misbehaviour("OG214", f"this assertion does not hold{values}", item.loc)


class _IterationTask:
    """One iteration of a parallel loop."""

    def __init__(
        self,
        machine: Machine,
        frame: Frame,
        loop: LoopCode,
        i: int,
        cells: IterationCells,
        parent: greenlet,
        path: TaskPath,
        context: CallContext,
    ) -> None:
        own = list(frame)
        own[loop.slot] = i

        def iteration() -> None:
            env = machine.formula_env(loop.layout, own) if loop.contract else {}
            read = machine.check_loop(loop.contract, env, cells)
            loop.body(machine, own)
            machine.check_loop(loop.contract, env, cells, read)

        self.machine, self.path, self.context = machine, path, context
        self.thread, self.magic, self.clock = machine.thread, machine.magic, machine.clock
        self.greenlet = greenlet(iteration, parent=parent)

    def run_until_it_yields(self) -> bool:
        """Let the iteration run until it yields. Returns whether it has ended."""
        machine = self.machine
        machine.path, machine.thread, machine.magic, machine.clock = self.path, self.thread, self.magic, self.clock
        machine.restore(self.context)
        self.greenlet.switch()
        self.context, self.clock = machine.context(), machine.clock
        return self.greenlet.dead
