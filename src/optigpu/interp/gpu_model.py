"""The GPU: phases of a launch, memory spaces and the code that may access them, copies and vector accesses."""

from __future__ import annotations

from collections.abc import Hashable

from optigpu.interp.default_memory import GroupAccess, GroupShadow
from optigpu.interp.happens_before import RecordedAccess
from optigpu.interp.heap import (
    UNINIT,
    Allocation,
    Heap,
    MemoryView,
    Uninit,
    box_indices,
    index_of,
    offset_of,
)
from optigpu.interp.misbehaviour import CannotEvaluate, Misbehaviour
from optigpu.interp.numeric_values import atomic_result
from optigpu.interp.rounded_numbers import Number
from optigpu.interp.thread_scheduler import RunningKernel, Thread, Threads, describe_group, describe_thread
from optigpu.syntax.diagnostic import Label
from optigpu.syntax.source import Loc
from optigpu.syntax.types import Scalar, Space

MAX_THREADS_PER_BLOCK = 1024
MAX_GRID_BLOCKS = (1 << 31) - 1
MAX_SHARED_BYTES = 227 * 1024
HOST_SWITCH = 0.3  # the probability that an access in a parallel loop of the host ends the turn of its iteration
WHERE = {
    Space.ANY: "host memory",
    Space.GMEM: "global memory",
    Space.SMEM: "shared memory",
    Space.TREG: "registers",
    Space.FRAG: "fragments",
}


class Device(Threads):
    """Memory spaces, and launches.

    A launch goes through three phases: setup, where the host allocates shared memory; device code, which the threads execute;
    and teardown, where the host frees the shared memory.
    """

    # Launches

    def launch(self, grid: int, block: int, shared_bytes: int, loc: Loc) -> None:
        self.on_host("kernel_launch", loc)
        if self.hub is not None:
            raise CannotEvaluate("a kernel launched inside a parallel loop cannot be run", loc)
        for what, n, low, high in (
            ("blocks", grid, 0, MAX_GRID_BLOCKS),
            ("threads a block", block, 1, MAX_THREADS_PER_BLOCK),
            ("bytes of shared memory", shared_bytes, 0, MAX_SHARED_BYTES),
        ):
            if not low <= n <= high:
                raise Misbehaviour("OG227", f"a kernel is launched with {n} {what}: {low} to {high} are possible", loc)
        self.kernel = RunningKernel(grid, block, shared_bytes, loc, self.new_region())

    def next_phase(self, call: str, before: str, after: str, loc: Loc) -> RunningKernel:
        """Go from one phase of the launch to the next; a call in another phase is an error (OG226)."""
        kernel = self.kernel
        if self.thread is not None or kernel is None or kernel.phase != before:
            where = "device code" if self.thread is not None else self.phase()
            raise Misbehaviour("OG226", f"`{call}` stands in {where}, not in {PHASES[before]}", loc)
        kernel.phase = after
        return kernel

    def phase(self) -> str:
        return "host code" if self.kernel is None else PHASES[self.kernel.phase]

    def kill(self, loc: Loc) -> None:
        kernel = self.next_phase("kernel_kill", "teardown", "ended", loc)
        for alloc in kernel.setup_arrays:
            raise Misbehaviour(
                "OG205", f"`{alloc.name}` is never freed", alloc.loc, (Label(loc, "until the kernel ends here"),)
            )
        self.kernel = None

    def teardown_sync(self, loc: Loc) -> None:
        """Wait for the threads: they have ended already, when the device code ended."""
        self.next_phase("kernel_teardown_sync", "teardown", "teardown", loc)

    def on_host(self, what: str, loc: Loc) -> None:
        """Reject an operation of the host inside a launch (OG226)."""
        if self.thread is not None:
            raise Misbehaviour("OG226", f"`{what}` is an operation of the host, but stands in device code", loc)
        if self.kernel is not None:
            label = (Label(self.kernel.loc, "launched here"),)
            raise Misbehaviour("OG226", f"`{what}` stands inside a kernel launch ({self.phase()})", loc, label)

    # Allocations

    def local(self, name: str, elem: Scalar, dims: tuple[int, ...], loc: Loc) -> MemoryView:
        """Allocate a local variable or array. In device code it is in registers of the thread that declares it."""
        thread = self.thread
        if thread is None:
            return self.allocate(name, elem, dims, loc, heap=False)
        view = self.allocate(name, elem, dims, loc, heap=False, space=Space.TREG)
        view.alloc.owner = thread.number
        view.alloc.iterations = self.path[len(thread.path) :]
        return view

    def allocation(
        self, name: str, elem: Scalar, dims: tuple[int, ...], loc: Loc, space: Space, key: int
    ) -> MemoryView:
        """`MALLOC…`, `__gmem_malloc…`, `__smem_malloc…`, `__treg_malloc…`"""
        match space:
            case Space.ANY:
                view = self.as_one("MALLOC", loc, lambda: self.allocate(name, elem, dims, loc, heap=True))
                assert isinstance(view, MemoryView)
                return view
            case Space.GMEM:
                self.on_host("gmem_malloc", loc)
                return self.allocate(name, elem, dims, loc, heap=True, space=space)
            case Space.SMEM:
                return self.setup_array(name, elem, dims, loc)
            case Space.TREG:
                return self.collective_registers(name, elem, dims, loc, key)
            case Space.FRAG:
                raise AssertionError(name)

    def setup_array(self, name: str, elem: Scalar, dims: tuple[int, ...], loc: Loc) -> MemoryView:
        """Allocate shared memory in the setup phase, with a copy for each block."""
        kernel = self.next_phase("__smem_malloc", "setup", "setup", loc)
        view = self.allocate(name, elem, (kernel.grid, *dims), loc, heap=False, space=Space.SMEM)
        view.alloc.copies = kernel.grid
        kernel.setup_arrays.append(view.alloc)
        self.check_shared_bytes(kernel.setup_bytes, loc)
        return view

    def free_setup_array(self, view: MemoryView, sizes: tuple[int, ...], loc: Loc) -> None:
        kernel = self.next_phase("__smem_free", "teardown", "teardown", loc)
        alloc = view.alloc
        if not alloc.alive:
            raise Misbehaviour("OG204", f"`{alloc.name}` is freed twice", loc, self.freed_label(alloc))
        if alloc not in kernel.setup_arrays or view.lead or view.shift:
            raise Misbehaviour("OG204", "this is not an allocation of the setup phase: it cannot be freed", loc)
        if sizes != alloc.dims[1:]:
            raise Misbehaviour("OG204", f"`{alloc.name}` is freed with the sizes {sizes}, not {alloc.dims[1:]}", loc)
        alloc.alive, alloc.freed_at = False, loc
        kernel.setup_arrays.remove(alloc)

    def collective_registers(self, name: str, elem: Scalar, dims: tuple[int, ...], loc: Loc, key: int) -> MemoryView:
        """Allocate registers for a group, with a copy for each of its threads. A thread that comes here again finds its own copy
        uninitialised."""
        thread, kernel = self.thread, self.kernel
        if thread is None or kernel is None or self.magic:
            raise Misbehaviour("OG226", f"the registers `{name}` are allocated where no threads run", loc)
        place = (key, thread.base, thread.size)
        alloc = kernel.collective.get(place)
        if alloc is None or alloc.dims[1:] != dims:
            view = self.allocate(name, elem, (thread.size, *dims), loc, heap=False, space=Space.TREG)
            alloc = kernel.collective[place] = view.alloc
            alloc.copies, alloc.owner = thread.size, thread.base
        row = len(alloc.data) // thread.size
        at = (thread.number - thread.base) * row
        alloc.data[at : at + row] = [UNINIT] * row
        return MemoryView(alloc)

    def shared_array(self, name: str, elem: Scalar, dims: tuple[int, ...], loc: Loc, key: int) -> MemoryView:
        """`__shared__ float s[256];`: a block has the same storage each time it enters the scope, but uninitialised."""
        thread, kernel = self.thread, self.kernel
        if thread is None or kernel is None:
            raise Misbehaviour("OG226", f"the shared array `{name}` is declared outside device code", loc)
        self.need_level(thread, "__shared__", loc)
        place = (key, thread.base, thread.size)
        alloc = kernel.collective.get(place)
        if alloc is None or alloc.dims != dims:
            view = self.allocate(name, elem, dims, loc, heap=False, space=Space.SMEM)
            alloc = kernel.collective[place] = view.alloc
            alloc.owner = thread.block
            alloc.generations = [0] * len(alloc.data)
        thread.generations[alloc] = thread.generations.get(alloc, 0) + 1
        thread.shared_bytes += alloc.bytes_per_copy
        self.check_shared_bytes(kernel.setup_bytes + thread.shared_bytes, loc)
        return MemoryView(alloc)

    def free_on_host(self, what: str, view: MemoryView, loc: Loc) -> None:
        if what == "gmem_free" or (self.thread is not None and view.alloc.space is not Space.ANY):
            self.on_host(what, loc)
        self.as_one(what, loc, lambda: self.free(view, loc))

    def check_shared_bytes(self, used: int, loc: Loc) -> None:
        kernel = self.kernel
        assert kernel is not None
        if used > kernel.shared_bytes:
            label = (Label(kernel.loc, "launched here"),)
            message = (
                f"a block uses {used} bytes of shared memory, but the kernel is launched with {kernel.shared_bytes}"
            )
            raise Misbehaviour("OG225", message, loc, label)

    # Accesses

    def load(self, view: MemoryView, indices: tuple[int, ...], loc: Loc) -> Number:
        if self.thread is None:
            self.host_turn(view.alloc, loc, "reads")
            return super().load(view, indices, loc)
        if view.alloc.space is Space.ANY and self.thread.size > 1:
            value = self.as_one("load", loc, lambda: self.load_in_kernel(view, indices, loc))
            assert isinstance(value, Number)
            return value
        return self.load_in_kernel(view, indices, loc)

    def load_in_kernel(self, view: MemoryView, indices: tuple[int, ...], loc: Loc) -> Number:
        assert self.thread is not None
        alloc = view.alloc
        flat = offset_of(view, indices, loc)
        self.check_access(self.thread, alloc, flat, loc, write=False)
        value = alloc.data[flat]
        if isinstance(value, Uninit) or self.forgotten(self.thread, alloc, flat):
            self.stall(Misbehaviour("OG202", f"{index_of(alloc, flat)} is read before anything was written to it", loc))
        assert not isinstance(value, Uninit)  # a stalled thread is not resumed
        return value

    def store(self, view: MemoryView, indices: tuple[int, ...], value: Number, loc: Loc) -> None:
        thread = self.thread
        if thread is None:
            self.host_turn(view.alloc, loc, "writes")
            super().store(view, indices, value, loc)
            return
        if view.alloc.space is Space.ANY and thread.size > 1:
            self.as_one("store", loc, lambda: self.store_in_kernel(thread, view, indices, value, loc))
            return
        self.store_in_kernel(thread, view, indices, value, loc)

    def store_in_kernel(
        self, thread: Thread, view: MemoryView, indices: tuple[int, ...], value: Number, loc: Loc
    ) -> None:
        alloc = view.alloc
        flat = offset_of(view, indices, loc)
        if alloc.space in (Space.GMEM, Space.SMEM) and not self.magic:  # each thread has its own copy of a register
            self.one_thread(thread, f"{index_of(alloc, flat)} is written", loc)
        self.check_access(thread, alloc, flat, loc, write=True)
        alloc.data[flat] = value
        if alloc.generations is not None:
            alloc.generations[flat] = thread.generations[alloc]

    def accumulate(self, view: MemoryView, indices: tuple[int, ...], operator: str, value: Number, loc: Loc) -> None:
        thread, alloc = self.thread, view.alloc
        if thread is None:
            self.host_turn(alloc, loc, "changes")
            super().accumulate(view, indices, operator, value, loc)
            return
        if self.magic or alloc.space not in (Space.GMEM, Space.SMEM):
            what = "a magic thread loop" if self.magic else f"`{alloc.name}` is in {WHERE[alloc.space]}"
            message = f"`{operator}` is an operation of a thread on global or shared memory: {what}"
            raise Misbehaviour("OG223", message, loc)
        flat = offset_of(view, indices, loc)
        self.one_thread(thread, f"{index_of(alloc, flat)} is changed", loc)
        self.check_access(thread, alloc, flat, loc, write=True, atomic=operator)
        old = alloc.data[flat]
        if isinstance(old, Uninit) or self.forgotten(thread, alloc, flat):
            self.stall(Misbehaviour("OG202", f"{index_of(alloc, flat)} is read before anything was written to it", loc))
        assert not isinstance(old, Uninit)  # a stalled thread is not resumed
        alloc.data[flat] = atomic_result(operator, old, value, alloc.elem, loc, alone=False)

    def host_turn(self, alloc: Allocation, loc: Loc, verb: str) -> None:
        if self.hub is not None and self.random.random() < HOST_SWITCH:
            self.hub.switch()
        if alloc.space is not Space.ANY:
            raise Misbehaviour("OG223", f"host code {verb} `{alloc.name}`, which is in {WHERE[alloc.space]}", loc)

    def check_access(
        self, thread: Thread, alloc: Allocation, flat: int, loc: Loc, *, write: bool, atomic: str | None = None
    ) -> None:
        """Check the memory space, the lifetime and the rights of an access by a thread, and record it for races."""
        if alloc.space is Space.TREG:
            self.check_register(thread, alloc, flat, loc)
            if write and alloc.iterations != self.path[len(thread.path) :]:
                message = f"an iteration of a magic thread loop writes {index_of(alloc, flat)}, a register of its group"
                raise Misbehaviour("OG224", message, loc)
            return
        if self.turn_chance and self.hub is not None and self.random.random() < self.turn_chance:
            clock = self.clock  # of a group, where it acts as one
            self.hub.switch()
            self.clock = clock
        verb = "writes" if write else "reads"
        if not alloc.alive:
            label = self.freed_label(alloc)
            raise Misbehaviour("OG203", f"device code {verb} `{alloc.name}` after it was freed", loc, label)
        if self.magic and alloc.space is not Space.ANY:
            message = (
                f"a magic thread loop {verb} `{alloc.name}`, which is in {WHERE[alloc.space]}: that takes a thread"
            )
            raise Misbehaviour("OG223", message, loc)
        if alloc.space is Space.SMEM:
            owner = alloc.owner if alloc.owner is not None else flat // (len(alloc.data) // alloc.copies)
            if owner != thread.block:
                message = (
                    f"{describe_thread(thread)} {verb} {index_of(alloc, flat)}, in the shared memory of block {owner}"
                )
                raise Misbehaviour("OG224", message, loc)
        if self.rights is not None and alloc.depth < self.rights.depth:
            self.check_rights(alloc, flat, write, loc)
        self.note(alloc, flat, loc, write=write, atomic=atomic)

    def check_register(self, thread: Thread, alloc: Allocation, flat: int, loc: Loc) -> None:
        assert alloc.owner is not None
        owner = alloc.owner + (flat // (len(alloc.data) // alloc.copies) if alloc.copies > 1 else 0)
        if owner != thread.number:
            assert self.kernel is not None
            other = f"thread {owner % self.kernel.block} of block {owner // self.kernel.block}"
            message = f"{describe_thread(thread)} uses {index_of(alloc, flat)}, a register of {other}"
            raise Misbehaviour("OG224", message, loc)

    def forgotten(self, thread: Thread, alloc: Allocation, flat: int) -> bool:
        """Whether a cell of a `__shared__` array was last written in an earlier entry of its scope."""
        return alloc.generations is not None and alloc.generations[flat] != thread.generations[alloc]

    def one_thread(self, thread: Thread, what: str, loc: Loc) -> None:
        if thread.size != 1:
            raise Misbehaviour(
                "OG228", f"{what} at a level of {describe_group(thread)}: that takes a single thread", loc
            )

    def note(self, alloc: Allocation, flat: int, loc: Loc, *, write: bool, atomic: str | None = None) -> None:
        """Record an access, and report a race. Default memory in a kernel has a rule of its own: see `default_memory.py`."""
        if self.thread is None or alloc.space is not Space.ANY:
            super().note(alloc, flat, loc, write=write, atomic=atomic)
            return
        access = GroupAccess(self.actor(), self.clock, loc, self.thread.loops)
        shadow = alloc.group_shadow.setdefault(flat, GroupShadow())
        conflict = shadow.conflicting(access, write)
        if conflict is not None:
            other, did = conflict
            now = "writes" if write else "reads"
            self.report_race(alloc, flat, (access.describe(), other.describe()), other.loc, did, loc, now)
        shadow.note(access, write)

    def task(self) -> Hashable:
        return self.path if self.thread is None or self.magic else self.thread

    def access(self, loc: Loc) -> RecordedAccess:
        return RecordedAccess(self.path, loc, None if self.thread is None or self.magic else self.thread.loops)

    def parties(self, access: RecordedAccess, other: RecordedAccess) -> tuple[str, str]:
        if access.who is None or other.who is None:
            return super().parties(access, other)
        return describe_access(access), describe_access(other)

    # Shuffles, on the registers of the threads that take part

    def register(self, thread: Thread, view: MemoryView, lane: int, loc: Loc) -> Number:
        flat = offset_of(view, (lane,), loc)
        self.check_register(thread, view.alloc, flat, loc)
        value = view.alloc.data[flat]
        if isinstance(value, Uninit):
            raise Misbehaviour("OG202", f"{index_of(view.alloc, flat)} is read before anything was written to it", loc)
        return value

    def set_register(self, thread: Thread, view: MemoryView, lane: int, value: Number, loc: Loc) -> None:
        flat = offset_of(view, (lane,), loc)
        self.check_register(thread, view.alloc, flat, loc)
        view.alloc.data[flat] = value

    # Copies

    def memcpy(self, what: str, to: MemoryView, source: MemoryView, sizes: tuple[int, ...], loc: Loc) -> None:
        """`memcpy_host_to_device2(d, h, H, W)` and the like: copy a box of cells between arrays whose inner sizes are its own."""
        self.on_host(what, loc)
        for view, space, verb in zip((to, source), COPY_SPACES[what[:-1]], ("writes", "reads")):
            if view.alloc.space is not space:
                have = WHERE[view.alloc.space]
                raise Misbehaviour(
                    "OG223", f"`{what}` {verb} {WHERE[space]}, but `{view.alloc.name}` is in {have}", loc
                )
            if view.dims()[1:] != sizes[1:]:
                message = f"`{what}` copies rows of {sizes[1:]}, but those of `{view.alloc.name}` are {view.dims()[1:]}"
                raise Misbehaviour("OG218", message, loc)
        for size in sizes:
            if size < 0:
                raise Misbehaviour("OG201", f"`{what}` copies a negative number of elements: {size}", loc)
        for index in box_indices(sizes):
            Heap.store(self, to, index, Heap.load(self, source, index, loc), loc)

    def vector_access(self, what: str, width: int, way: str, to: MemoryView, source: MemoryView, loc: Loc) -> None:
        """`vload4(&r[0], &a[4 * i])`: move adjacent cells between registers and memory, by one thread. The address in memory
        must be a multiple of the width (OG229)."""
        thread = self.thread
        if thread is None:
            raise Misbehaviour("OG226", f"`{what}` is executed outside a kernel", loc)
        memory, registers = (source, to) if way == "load" else (to, source)
        if memory.alloc.space is not Space.ANY:  # on default memory a group acts as one
            self.one_thread(thread, f"`{what}` stands", loc)
        for view, fits in (
            (memory, memory.alloc.space is not Space.TREG),
            (registers, registers.alloc.space is Space.TREG),
        ):
            if not fits:
                side = "to registers" if way == "load" else "from registers"
                have = WHERE[view.alloc.space]
                raise Misbehaviour("OG223", f"`{what}` goes {side}, but `{view.alloc.name}` is in {have}", loc)
        alloc = memory.alloc
        flat = offset_of(memory, (0,), loc)
        offset = flat % (len(alloc.data) // alloc.copies)
        if offset % width:
            message = f"`{what}` at {index_of(alloc, flat)}: the offset {offset} is not a multiple of {width}"
            raise Misbehaviour("OG229", message, loc)
        values = [self.load(source, (k,), loc) for k in range(width)]
        for k, value in enumerate(values):
            self.store(to, (k,), value, loc)


PHASES = {"setup": "the setup phase of a kernel", "device": "device code", "teardown": "the teardown phase of a kernel"}
COPY_SPACES = {
    "memcpy_host_to_device": (Space.GMEM, Space.ANY),
    "memcpy_device_to_host": (Space.ANY, Space.GMEM),
    "memcpy_device_to_device": (Space.GMEM, Space.GMEM),
}


def describe_access(access: RecordedAccess) -> str:
    """The thread of an access in a message: `thread 33 of block 0 (y = 1, x = 1)`."""
    if len(access.path) < 3:  # tile_model.py
        return f"a copy of a tile of block {access.path[0][1]}"
    (_, block), (_, warp), (_, lane) = access.path[:3]
    around = ", ".join(f"{n} = {v}" for n, v in access.who or ())
    return f"thread {warp * 32 + lane} of block {block}" + (f" ({around})" if around else "")
