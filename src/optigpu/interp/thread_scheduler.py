"""The threads of a kernel: groups, turns, barriers and shuffles.

Every thread executes the whole device code, in a greenlet of its own. Code of a group of M threads is executed by each of them; a
thread loop narrows the group that a thread belongs to. Only barriers order the accesses of threads: the path of a thread is
(launch, block), (phase of the block, warp), (phase of the warp, lane), and a barrier starts a new phase for the threads that meet
at it. So two conflicting accesses of two threads without a barrier between them race in every schedule.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Any, TypeAlias

from greenlet import getcurrent, greenlet

from optigpu.interp.default_memory import Actor, Clock, after_barrier, known_to_all
from optigpu.interp.happens_before import TaskPath
from optigpu.interp.heap import Allocation, Heap, MemoryView, Rights
from optigpu.interp.misbehaviour import Misbehaviour
from optigpu.interp.numeric_values import RuntimeValue
from optigpu.interp.rounded_numbers import Number
from optigpu.light_dataclass import dataclass
from optigpu.syntax.builtins import WARP_SIZE
from optigpu.syntax.diagnostic import Label
from optigpu.syntax.source import Loc

CallContext: TypeAlias = tuple[Rights | None, dict[str, RuntimeValue], int]
ThreadBody: TypeAlias = Callable[[], RuntimeValue]
ShuffleArguments: TypeAlias = tuple[MemoryView, MemoryView, int]  # destination, source, and distance, mask or lane
RESIDENT_THREADS = 1024  # a block is started only while its threads and the running ones are at most so many
TURN_CHANCES = (0.0, 0.02, 0.2)  # the probability that an access ends the thread's turn; drawn for each launch
ORDERED = (
    -1
)  # the seed of a deterministic schedule: threads in the order of their numbers, up to the end of a block's loop


class InOrder(random.Random):
    """A generator for the deterministic schedule of witnesses: it always draws the first choice, so the first threads fail."""

    def random(self) -> float:
        return 1 - 2**-53

    def choice(self, seq: Any) -> Any:
        return seq[0]

    def randrange(self, *args: Any) -> int:
        return 0


@dataclass(slots=True, eq=False)
class Thread:
    """One thread. It executes code of the group of `size` threads that starts at thread `base` of the grid."""

    number: int  # in the grid
    block: int
    index: int  # in its block: CUDA's linear thread index
    base: int
    size: int
    path: TaskPath
    context: CallContext
    loops: tuple[tuple[str, int], ...] = ()  # the indices of the thread loops around, for messages
    shared_bytes: int = 0  # of the `__shared__` arrays in scope
    generations: dict[Allocation, int] = field(default_factory=dict)  # shared array -> how often its scope was entered
    waits: Wait | None = None
    stalled: Misbehaviour | None = None
    greenlet: greenlet | None = None
    clock: Clock = field(default_factory=dict)  # the magic barriers that the thread knows to be over
    received: RuntimeValue = None  # the result of what another thread of the group did for all
    row: object = None  # in a loop over the rows of fragments: what it is to the loop over the elements


@dataclass(frozen=True, slots=True)
class Wait:
    """The barrier or shuffle at which a thread waits, and the arguments of the shuffle."""

    what: str
    loc: Loc
    shuffle: ShuffleArguments | None = None


@dataclass(slots=True, eq=False)
class RunningKernel:
    """One launch, from kernel_launch to kernel_kill."""

    grid: int
    block: int
    shared_bytes: int
    loc: Loc
    region: int
    phase: str = "setup"  # then "device", "teardown" and "ended"
    setup_arrays: list[Allocation] = field(default_factory=list)
    collective: dict[tuple[int, int, int], Allocation] = field(default_factory=dict)
    meetings: dict[tuple[int, int], list[Thread]] = field(default_factory=dict)

    @property
    def setup_bytes(self) -> int:
        return sum(a.bytes_per_copy for a in self.setup_arrays)


class Threads(Heap, ABC):
    """The scheduler of a kernel's threads, and their collective operations."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.in_order = seed == ORDERED
        self.random = InOrder() if self.in_order else random.Random(seed)
        self.hub: greenlet | None = None
        self.regions = 0
        self.kernel: RunningKernel | None = None
        self.thread: Thread | None = None
        self.magic = 0  # number of magic thread loops around the running code
        self.clock: Clock = {}  # the magic barriers of a kernel that the running task knows to be over
        self.turn_chance = 0.0
        self.logic: dict[str, RuntimeValue] = {}  # the logical variables of the function that is running
        self.ready: list[Thread] = []
        self.meeting: list[Thread] = []  # the threads for all of which one of them does something

    def context(self) -> CallContext:
        return self.rights, self.logic, self.depth

    def restore(self, context: CallContext) -> None:
        self.rights, self.logic, self.depth = context

    def new_region(self) -> int:
        self.regions += 1
        return self.regions

    # Running

    def run_threads(self, kernel: RunningKernel, body_of: Callable[[], ThreadBody]) -> None:
        """Run all threads of the grid in a random interleaving, with blocks started in a random order.

        A kernel whose threads cannot all end misbehaves: because of an error at which a thread stalled, or else because threads
        wait at a barrier that others do not reach (OG222).
        """
        host_context, host_path, me = self.context(), self.path, getcurrent()
        pending = list(range(kernel.grid))
        self.turn_chance = self.random.choice(TURN_CHANCES)
        self.ready = []
        unfinished: dict[Thread, None] = {}
        try:
            while True:
                while pending and (not self.ready or len(unfinished) + kernel.block <= RESIDENT_THREADS):
                    at = self.random.randrange(len(pending))
                    pending[at], pending[-1] = pending[-1], pending[at]
                    for thread in self.start_block(kernel, pending.pop(), host_context):
                        thread.greenlet = greenlet(body_of(), parent=me)
                        self.ready.append(thread)
                        unfinished[thread] = None
                if not self.ready:
                    break
                ended = self.take_turn(me)
                if ended is not None:
                    del unfinished[ended]
            if unfinished:
                stalled = [t.stalled for t in sorted(unfinished, key=lambda t: t.number) if t.stalled is not None]
                raise stalled[0] if stalled else divergence(kernel, list(unfinished))
        finally:
            self.thread, self.hub, self.path = None, None, host_path
            self.restore(host_context)

    def take_turn(self, me: greenlet) -> Thread | None:
        """Let a thread run until it yields or waits. Returns the thread if it has ended."""
        ready = self.ready
        if self.in_order:
            thread = ready.pop(0)
        else:
            at = int(self.random.random() * len(ready))
            thread = ready[at]
            ready[at] = ready[-1]
            ready.pop()
        self.thread, self.magic = thread, 0
        self.path, self.hub, self.clock = thread.path, me, thread.clock
        self.restore(thread.context)
        assert thread.greenlet is not None
        thread.greenlet.switch()
        if thread.greenlet.dead:
            return thread
        thread.context = self.context()
        if thread.waits is None and thread.stalled is None:
            ready.append(thread)
        return None

    def stall(self, error: Misbehaviour) -> None:
        """Stop this thread at an error and let the others go on: if one of them races with it, the race is reported instead,
        whatever the schedule."""
        if self.thread is None or self.hub is None or self.magic:
            raise error
        self.thread.stalled = error
        self.hub.switch()

    def start_block(self, kernel: RunningKernel, block: int, context: CallContext) -> list[Thread]:
        region = self.new_region()
        all_threads = kernel.grid * kernel.block
        return [
            Thread(
                block * kernel.block + i,
                block,
                i,
                0,
                all_threads,
                ((kernel.region, block), (region, i // WARP_SIZE), (region, i % WARP_SIZE)),
                context,
            )
            for i in range(kernel.block)
        ]

    # Meeting

    def meet(
        self,
        thread: Thread,
        what: str,
        loc: Loc,
        shuffle: ShuffleArguments | None = None,
        action: ThreadBody | None = None,
    ) -> RuntimeValue:
        """Wait until all threads of the group have reached the same statement. The last one starts the new phase, exchanges the
        values of a shuffle, or does the action for all. Threads of a group that wait at different statements diverge (OG222)."""
        assert self.kernel is not None and self.hub is not None
        key = (thread.base, thread.size)
        others = self.kernel.meetings.setdefault(key, [])
        thread.waits = Wait(what, loc, shuffle)
        if others and others[0].waits is not None and (others[0].waits.what, others[0].waits.loc) != (what, loc):
            raise divergence(self.kernel, [others[0], thread])
        others.append(thread)
        if len(others) < thread.size:
            self.hub.switch()
            return thread.received
        del self.kernel.meetings[key]
        waits = [t.waits for t in others]
        thread.waits = None
        if action is not None:
            own, self.clock = self.clock, known_to_all(t.clock for t in others)
            self.meeting = others
            result = action()
            self.clock = own
            for other in others:
                other.received = result
        for other in others:
            other.waits = None
            if other is not thread:
                self.ready.append(other)
        if what in SHUFFLED_LANE:
            self.exchange(what, others, waits, loc)
        elif action is None:
            self.new_phase(what, others)
            self.path, self.clock = thread.path, thread.clock
        return thread.received

    def as_one(self, what: str, loc: Loc, action: ThreadBody) -> RuntimeValue:
        """What a group does as one: the last of its threads to get here does it, and all of them get the result."""
        thread = self.thread
        if thread is None or self.magic or thread.size == 1:
            return action()
        return self.meet(thread, what, loc, action=action)

    def actor(self) -> Actor:
        """Who acts on default memory: the group of the running thread, or an iteration of a magic loop."""
        assert self.thread is not None and self.kernel is not None
        iterations = self.path[len(self.thread.path) :] if self.magic else ()
        return Actor(self.kernel.region, self.thread.base, self.thread.size, iterations)

    def new_phase(self, what: str, group: Sequence[Thread]) -> None:
        """Order what the threads of the group do from now on after what any of them did before.

        A magic barrier of a group that is neither a warp nor a block may also order these threads with others of their block.
        """
        assert self.kernel is not None
        region = self.new_region()
        if what == "magic_barrier":
            clock = after_barrier(self.actor(), [t.clock for t in group])
            for t in group:
                t.clock = clock
        within_warp = what == "warpsync" or len({t.path[:2] for t in group}) == 1
        for t in group:
            launch = (region, t.block) if len(group) > self.kernel.block else t.path[0]
            warp = t.path[1] if within_warp and what != "blocksync" else (region, t.index // WARP_SIZE)
            t.path = (launch, warp, (region, t.index % WARP_SIZE))

    def barrier(self, what: str, loc: Loc) -> None:
        """`blocksync()`, `warpsync()`, `magic_barrier()`"""
        thread = self.thread
        if thread is None:
            if what == "magic_barrier":
                return
            raise Misbehaviour("OG226", f"`{what}` is executed outside a kernel", loc)
        assert self.kernel is not None
        if what == "magic_barrier" and (self.magic or thread.size == 1):
            self.clock = after_barrier(self.actor(), [self.clock])
            if not self.magic:
                thread.clock = self.clock
            return
        if what == "magic_barrier":
            self.meet(thread, what, loc)
            return
        self.need_level(thread, what, loc)
        self.meet(thread, what, loc)

    def need_level(self, thread: Thread, what: str, loc: Loc) -> None:
        """Reject an operation of a block or warp in code whose group is not a whole block, or not a warp (OG221)."""
        assert self.kernel is not None
        size = self.kernel.block
        if what in OF_BLOCKS:
            fits, want = thread.size == size, f"a block, {size} threads"
        else:
            place = thread.base % size
            fits = thread.size == WARP_SIZE and place % WARP_SIZE == 0 and place + WARP_SIZE <= size
            want = f"a warp, {WARP_SIZE} threads"
        if self.magic or not fits:
            where = "in a magic thread loop" if self.magic else f"at a level of {describe_group(thread)}"
            raise Misbehaviour("OG221", f"`{what}` is an operation of {want}, but stands {where}", loc)

    # Shuffles

    def shuffle(self, what: str, dst: MemoryView, src: MemoryView, amount: int, loc: Loc) -> None:
        thread = self.thread
        if thread is None:
            raise Misbehaviour("OG226", f"`{what}` is executed outside a kernel", loc)
        self.need_level(thread, what, loc)
        if not 0 <= amount < WARP_SIZE:
            raise Misbehaviour("OG201", f"`{what}` by {amount}: a warp has the lanes 0 to {WARP_SIZE - 1}", loc)
        self.meet(thread, what, loc, (dst, src, amount))

    def exchange(self, what: str, group: list[Thread], waits: list[Wait | None], loc: Loc) -> None:
        """Give the register of each lane the value of another lane's. Memory accesses are not ordered by this."""
        base = min(t.number for t in group)
        lane_of = SHUFFLED_LANE[what]
        shuffles = [
            (t, t.number - base, w.shuffle) for t, w in zip(group, waits) if w is not None and w.shuffle is not None
        ]
        old = {lane: self.register(thread, src, lane, loc) for thread, lane, (_, src, _) in shuffles}
        for thread, lane, (dst, _, amount) in shuffles:
            self.set_register(thread, dst, lane, old[lane_of(lane, amount)], loc)

    @abstractmethod
    def register(self, thread: Thread, view: MemoryView, lane: int, loc: Loc) -> Number: ...

    @abstractmethod
    def set_register(self, thread: Thread, view: MemoryView, lane: int, value: Number, loc: Loc) -> None: ...


OF_BLOCKS = ("blocksync", "__shared__", "tile_load", "pipeline_wait")
SHUFFLED_LANE: dict[str, Callable[[int, int], int]] = {
    "shfl_down": lambda lane, d: lane + d if lane + d < WARP_SIZE else lane,
    "shfl_up": lambda lane, d: lane - d if lane >= d else lane,
    "shfl_xor": lambda lane, mask: lane ^ mask,
    "shfl": lambda lane, source: source,
}


def describe_group(thread: Thread) -> str:
    """The group of a thread in a message: `8 threads (in the thread loops b = 0, w = 3)`."""
    around = ", ".join(f"{n} = {v}" for n, v in thread.loops)
    return f"{thread.size} thread{'s' * (thread.size != 1)}" + (f" (in the thread loops {around})" if around else "")


def describe_thread(thread: Thread) -> str:
    """A thread in a message: its CUDA index and block, and the indices of the thread loops around."""
    around = ", ".join(f"{n} = {v}" for n, v in thread.loops)
    return f"thread {thread.index} of block {thread.block}" + (f" ({around})" if around else "")


def divergence(kernel: RunningKernel, threads: list[Thread]) -> Misbehaviour:
    """The error for threads that wait at a barrier which others of their group do not reach (OG222)."""
    waiting = next(t for t in threads if t.waits is not None)
    wait = waiting.waits
    assert wait is not None
    together = kernel.meetings.get((waiting.base, waiting.size), [])
    other = next((t for t in threads if t.waits is not None and t.waits.loc != wait.loc), None)
    part = f"{max(len(together), 1)} of its {waiting.size} threads"
    message = f"`{wait.what}` is reached by {part} only: {describe_thread(waiting)} waits here"
    if other is None or other.waits is None:
        return Misbehaviour("OG222", message + ", others have ended", wait.loc)
    label = Label(other.waits.loc, f"{describe_thread(other)} waits here")
    return Misbehaviour("OG222", message + f", {describe_thread(other)} elsewhere", wait.loc, (label,))
