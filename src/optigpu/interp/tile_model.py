"""Fragments, copies of tiles, and pipelined loops in a run.

A fragment has a layout drawn at random for each launch and size of group: programs must not depend on it. A copy of a tile is
under way from the call to the next barrier of its block, or to the wait of the pipelined loop around it: its accesses are those
of one more task, which is concurrent with all threads up to then, and the cells are written at a random time in between. The part
of a pipelined loop that may run ahead runs where it stands, in shared arrays of its own; what it reads must not be what the loop
changes."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field

from optigpu.interp.gpu_model import Device
from optigpu.interp.heap import UNINIT, Allocation, Heap, MemoryView, Uninit, index_of, offset_of
from optigpu.interp.misbehaviour import Misbehaviour
from optigpu.interp.rounded_numbers import Number
from optigpu.interp.thread_scheduler import Thread, describe_group, describe_thread
from optigpu.light_dataclass import dataclass
from optigpu.syntax.builtins import ROW_REDUCTIONS, TILE_PRODUCTS
from optigpu.syntax.diagnostic import Label
from optigpu.syntax.source import Loc
from optigpu.syntax.types import Scalar, Space

COPIES_AT_ONCE = 0.5  # the probability that a copy is over when the call returns
GROUPS = (32, 128)  # threads that have fragments together
ROW_OPERATORS: dict[str, Callable[[Number, Number], Number]] = {"sum": lambda a, b: a + b, "max": max, "min": min}


class FragmentLayout:
    """Which threads of a group have the rows of fragments, and which one of them has an element: drawn when it is asked for."""

    def __init__(self, size: int, generator: random.Random) -> None:
        self.size, self.random = size, generator
        self.rows: dict[int, range] = {}
        self.elements: dict[tuple[int, int], int] = {}

    def threads_of_row(self, i: int) -> range:
        if i not in self.rows:
            start = self.random.randrange(self.size)
            self.rows[i] = range(start, start + 1 + self.random.randrange(self.size - start))
        return self.rows[i]

    def thread_of(self, i: int, j: int) -> int:
        if (i, j) not in self.elements:
            row = self.threads_of_row(i)
            self.elements[i, j] = row[self.random.randrange(len(row))]
        return self.elements[i, j]


@dataclass(frozen=True, slots=True)
class FragmentRow:
    """The row of fragments whose iteration a thread executes, and the first thread of the group that has them."""

    layout: FragmentLayout
    first: int
    row: int


@dataclass(slots=True, eq=False)
class PipelineRun:
    """One execution of a pipelined loop by a block."""

    loc: Loc
    changed: dict[tuple[Allocation, int], Loc] = field(default_factory=dict)  # what the rest of the body has written


@dataclass(slots=True, eq=False)
class Stage:
    """An iteration of a pipelined loop in one thread."""

    run: PipelineRun
    number: int
    ahead: bool = True
    arrays: list[Allocation] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class PendingCopy:
    """A copy of a tile that is under way: the values that its cells get."""

    target: Allocation
    values: dict[int, Number]
    thread: Thread


class TileModel(Device):
    """What threads do with fragments and tiles."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.layouts: dict[tuple[int, int], FragmentLayout] = {}  # by launch and size of group
        self.fragments: dict[Allocation, tuple[int, int]] = {}  # -> first thread of the first group, threads of a group
        self.pipelines: dict[
            tuple[int, int, int, int], PipelineRun
        ] = {}  # by launch, loop, block and count of executions
        self.stages: dict[Thread, list[Stage]] = {}
        self.entered: dict[tuple[Thread, int], int] = {}  # how often a thread has entered a pipelined loop
        self.under_way: dict[int, list[PendingCopy]] = {}  # by block
        self.copies = 0  # so far

    # Fragments

    def layout(self, size: int) -> FragmentLayout:
        assert self.kernel is not None
        return self.layouts.setdefault((self.kernel.region, size), FragmentLayout(size, self.random))

    def allocation(
        self, name: str, elem: Scalar, dims: tuple[int, ...], loc: Loc, space: Space, key: int
    ) -> MemoryView:
        if space is not Space.FRAG:
            return super().allocation(name, elem, dims, loc, space, key)
        return self.fragment(name, elem, dims[1:], loc, key, groups=dims[0])

    def fragment(
        self, name: str, elem: Scalar, dims: tuple[int, ...], loc: Loc, key: int, groups: int | None = None
    ) -> MemoryView:
        """A fragment of the group, or (`groups`) one for each equal part of it. A vector of rows has a copy in each thread."""
        thread = self.in_threads("fragments", loc)
        assert self.kernel is not None
        parts = 1 if groups is None else groups
        size = thread.size // parts if parts > 0 and thread.size % parts == 0 else 0
        self.need_fragment_group(thread, size, f"`{name}`", loc)
        place = (key, thread.base, thread.size)
        alloc = self.kernel.collective.get(place)
        outer = () if groups is None else (groups,)
        if alloc is None or alloc.dims != (*outer, *dims):
            view = self.allocate(name, elem, (*outer, *dims), loc, heap=False, space=Space.FRAG)
            alloc = self.kernel.collective[place] = view.alloc
            if len(dims) == 1:
                alloc.data = [UNINIT] * (len(alloc.data) * size)
            self.fragments[alloc] = thread.base, size
        rows, inner = dims[0], dims[1] if len(dims) > 1 else 0
        layout, mine = self.layout(size), (thread.number - thread.base) % size
        first = (thread.number - thread.base) // size * rows * max(inner, 1)
        for i in range(rows):
            if not inner:
                alloc.data[(first + i) * size + mine] = UNINIT
            for j in range(inner):
                if layout.thread_of(i, j) == mine:
                    alloc.data[first + i * inner + j] = UNINIT
        return MemoryView(alloc)

    def fragment_cell(self, thread: Thread, alloc: Allocation, flat: int, loc: Loc) -> int:
        """The position of the thread's own copy of an element of a fragment; another thread's element is an error (OG224)."""
        start, size = self.fragments[alloc]
        per_thread = len(alloc.data) == size * _count(alloc.dims)
        rank = 1 if per_thread else 2
        own = _count(alloc.dims[-rank:])
        group, inside = divmod(flat, own)
        first, layout = start + group * size, self.layout(size)
        mine = thread.number - first
        if rank == 1:
            fits = mine in layout.threads_of_row(inside)
        else:
            fits = mine == layout.thread_of(*divmod(inside, alloc.dims[-1]))
        if not fits:
            message = f"{describe_thread(thread)} uses {index_of(alloc, flat)}, an element of another thread"
            raise Misbehaviour("OG224", message, loc)
        return flat * size + mine if per_thread else flat

    def fragment_loop(self, values: range, index: str, loc: Loc, run: Callable[[int], None]) -> None:
        """`frag for`: over rows of fragments, by the threads that have elements of the row; inside, over elements, each by the
        thread that has it."""
        thread = self.in_threads("a loop over fragments", loc)
        base, size, loops, around = thread.base, thread.size, thread.loops, thread.row
        if around is None:
            self.need_fragment_group(thread, size, "`frag for`", loc)
        for i in values:
            if around is None:
                layout = self.layout(size)
                part = layout.threads_of_row(i)
                part, row = range(base + part.start, base + part.stop), FragmentRow(layout, base, i)
            else:
                assert isinstance(around, FragmentRow)
                one = around.first + around.layout.thread_of(around.row, i)
                part, row = range(one, one + 1), None
            if thread.number in part:
                thread.base, thread.size, thread.loops = part.start, len(part), (*loops, (index, i))
                thread.row = row
                run(i)
                thread.base, thread.size, thread.loops, thread.row = base, size, loops, around

    def multiply_tiles(
        self, name: str, target: MemoryView, left: MemoryView, right: MemoryView, depth: int, loc: Loc
    ) -> None:
        """`mma(c, a, b, depth)` and its transposed forms, by a group that has fragments together."""
        thread = self.in_threads(f"`{name}`", loc)
        self.need_fragment_group(thread, thread.size, f"`{name}`", loc)
        left_across, right_across = TILE_PRODUCTS[name]

        def multiply() -> None:
            for view in (target, left, right):
                self.need_own_fragment(thread, view, loc)
            rows, cols = target.alloc.dims[-2:]
            a = [
                [self.tile_element(left, (k, i) if left_across else (i, k), loc) for k in range(depth)]
                for i in range(rows)
            ]
            b = [
                [self.tile_element(right, (j, k) if right_across else (k, j), loc) for j in range(cols)]
                for k in range(depth)
            ]
            for i in range(rows):
                for j in range(cols):
                    flat = self.element_position(target, (i, j), loc)
                    total = self.initialised(target.alloc, flat, loc)
                    for k in range(depth):
                        total += a[i][k] * b[k][j]
                    target.alloc.data[flat] = total

        self.by_group(thread, name, loc, multiply)

    def reduce_rows(self, name: str, vector: MemoryView, source: MemoryView, loc: Loc) -> None:
        """`frag_row_sum(v, c)` and the like: each row is combined with its element of the vector, in all threads that have it."""
        thread = self.in_threads(f"`{name}`", loc)
        self.need_fragment_group(thread, thread.size, f"`{name}`", loc)
        combine = ROW_OPERATORS[ROW_REDUCTIONS[name]]

        def reduce() -> None:
            for view in (vector, source):
                self.need_own_fragment(thread, view, loc)
            layout, size = self.layout(thread.size), thread.size
            for i in range(vector.alloc.dims[-1]):
                row = [self.tile_element(source, (i, j), loc) for j in range(source.alloc.dims[-1])]
                flat = self.element_position(vector, (i,), loc) * size
                for t in layout.threads_of_row(i):
                    total = self.initialised(vector.alloc, flat + t, loc)
                    for x in row:
                        total = combine(total, x)
                    vector.alloc.data[flat + t] = total

        self.by_group(thread, name, loc, reduce)

    def by_group(self, thread: Thread, name: str, loc: Loc, action: Callable[[], None]) -> None:
        """What all threads of a group do together. Its reads are those of two of them, so that every other thread races with
        one."""
        self.meet(thread, name, loc, action=action)

    def tile_element(self, view: MemoryView, index: tuple[int, int], loc: Loc) -> Number:
        """An element of a factor, which the group reads."""
        alloc = view.alloc
        flat = self.element_position(view, index, loc)
        if alloc.space is Space.FRAG:
            return self.initialised(alloc, flat, loc)
        thread = self.thread
        assert thread is not None
        for reader in (thread, self.other_of_group(thread)):
            with self.acting_as(reader):
                self.check_access(reader, alloc, flat, loc, write=False)
                value = alloc.data[flat]
                if isinstance(value, Uninit) or self.forgotten(reader, alloc, flat):
                    self.uninitialised(alloc, flat, loc)
        assert not isinstance(value, Uninit)
        return value

    def element_position(self, view: MemoryView, index: tuple[int, ...], loc: Loc) -> int:
        """The position of an element of the matrix that begins at the view's element; of a vector, not counting copies."""
        full = (*view.lead, view.shift) if len(view.lead) < len(view.alloc.dims) else view.lead
        full = (*full, *(0,) * (len(view.alloc.dims) - len(full)))
        at = tuple(x + i for x, i in zip(full[-len(index) :], index))
        return offset_of(MemoryView(view.alloc), (*full[: -len(index)], *at), loc)

    def initialised(self, alloc: Allocation, flat: int, loc: Loc) -> Number:
        value = alloc.data[flat]
        if isinstance(value, Uninit):
            self.uninitialised(alloc, flat % _count(alloc.dims), loc)
        assert not isinstance(value, Uninit)
        return value

    def uninitialised(self, alloc: Allocation, flat: int, loc: Loc) -> None:
        raise Misbehaviour("OG202", f"{index_of(alloc, flat)} is read before anything was written to it", loc)

    def need_own_fragment(self, thread: Thread, view: MemoryView, loc: Loc) -> None:
        """A fragment that a group uses is one of its own (OG224)."""
        if view.alloc.space is not Space.FRAG:
            return
        first, size = self.fragments[view.alloc]
        index = (*view.lead, view.shift)[0] if len(view.alloc.dims) > 2 or len(view.lead) > 0 else 0
        if size != thread.size or first + index * size != thread.base:
            message = f"`{view.alloc.name}` is a fragment of other threads than {describe_group(thread)}"
            raise Misbehaviour("OG224", message, loc)

    def need_fragment_group(self, thread: Thread, size: int, what: str, loc: Loc) -> None:
        """Fragments belong to whole warps, or to groups of four (OG221)."""
        assert self.kernel is not None
        whole = size in GROUPS and self.kernel.block % size == 0 and thread.base % size == 0
        if not whole or thread.row is not None:
            groups = " or ".join(map(str, GROUPS))
            message = f"{what} is for groups of {groups} threads, but stands at a level of {describe_group(thread)}"
            raise Misbehaviour("OG221", message, loc)

    def in_threads(self, what: str, loc: Loc) -> Thread:
        if self.thread is None or self.kernel is None or self.magic:
            raise Misbehaviour("OG226", f"{what} stands where no threads run", loc)
        return self.thread

    @contextmanager
    def acting_as(self, thread: Thread) -> Iterator[None]:
        """Accesses inside are those of this thread."""
        own, path, chance = self.thread, self.path, self.turn_chance
        self.thread, self.path, self.turn_chance = thread, thread.path, 0.0
        try:
            yield
        finally:
            self.thread, self.path, self.turn_chance = own, path, chance

    def other_of_group(self, thread: Thread) -> Thread:
        """Another thread of the group, which has got here, too."""
        return next((t for t in self.meeting if t is not thread), thread)

    # Copies of tiles

    def tile_load(self, target: MemoryView, source: MemoryView, at: tuple[int, ...], loc: Loc) -> None:
        """`tile_load(t, a, i, j)`: a block copies a tile of a matrix, with zeros outside of it."""
        thread = self.in_threads("`tile_load`", loc)
        self.need_level(thread, "tile_load", loc)
        self.by_group(thread, "tile_load", loc, lambda: self.start_copy(thread, target, source, at, loc))

    def start_copy(self, thread: Thread, target: MemoryView, source: MemoryView, at: tuple[int, ...], loc: Loc) -> None:
        rows, cols = target.alloc.dims[-2:]
        height, width = source.alloc.dims[-2:]
        *lead, row, col = at
        if any(not 0 <= x < n for x, n in zip(lead, source.alloc.dims)):
            raise Misbehaviour("OG201", f"`tile_load` from {source.alloc.name}{''.join(f'[{x}]' for x in lead)}", loc)
        values: dict[int, Number] = {}
        self.copies += 1  # a task of its own, concurrent with all warps and copies of the block up to its next barrier
        engine = (thread.path[0], (thread.path[1][0], -self.copies))
        path, self.path = self.path, engine
        try:
            for i in range(rows):
                for j in range(cols):
                    flat = self.element_position(target, (i, j), loc)
                    self.note_stage_write(thread, target.alloc, loc)
                    self.note(target.alloc, flat, loc, write=True)
                    values[flat] = 0
                    if 0 <= row + i < height and 0 <= col + j < width:
                        index = (*lead, row + i, col + j)
                        position = offset_of(source, index, loc)
                        self.note_read_ahead(thread, source.alloc, position, loc)
                        self.note(source.alloc, position, loc, write=False)
                        values[flat] = Heap.load(self, source, index, loc)
        finally:
            self.path = path
        copy = PendingCopy(target.alloc, values, thread)
        if self.random.random() < COPIES_AT_ONCE:
            self.finish_copy(copy)
        else:
            self.under_way.setdefault(thread.block, []).append(copy)

    def finish_copy(self, copy: PendingCopy) -> None:
        for flat, value in copy.values.items():
            copy.target.data[flat] = value
            if copy.target.generations is not None:
                copy.target.generations[flat] = copy.thread.generations[copy.target]

    def finish_copies(self, block: int) -> None:
        for copy in self.under_way.pop(block, ()):
            self.finish_copy(copy)

    def barrier(self, what: str, loc: Loc) -> None:
        thread = self.thread
        if thread is not None and self.is_ahead(thread):
            raise Misbehaviour("OG230", f"`{what}` stands in the part of a pipelined loop that may run ahead", loc)
        super().barrier(what, loc)

    # Pipelined loops

    def pipelined_loop(self, values: Iterable[int], key: int, loc: Loc, run_iteration: Callable[[int], None]) -> None:
        """`#pragma pipeline` before a loop: its iterations one after the other."""
        thread = self.in_threads("a pipelined loop", loc)
        assert self.kernel is not None
        self.need_level(thread, "pipeline_wait", loc)
        if self.is_ahead(thread):
            message = "a pipelined loop stands in the part of another one that may run ahead"
            raise Misbehaviour("OG230", message, loc)
        count = self.entered[thread, key] = self.entered.get((thread, key), 0) + 1
        run = self.pipelines.setdefault((self.kernel.region, key, thread.block, count), PipelineRun(loc))
        stages = self.stages.setdefault(thread, [])
        for number, i in enumerate(values):
            stages.append(Stage(run, number))
            run_iteration(i)
            if stages.pop().ahead:
                raise Misbehaviour("OG230", "the body of a pipelined loop does not wait: pipeline_wait()", loc)

    def pipeline_wait(self, loc: Loc) -> None:
        """The rest of the body uses what has been made so far."""
        thread = self.in_threads("`pipeline_wait`", loc)
        self.need_level(thread, "pipeline_wait", loc)
        stage = self.stage_of(thread)
        if stage is None or not stage.ahead:
            raise Misbehaviour("OG230", "this is not the body of a pipelined loop that waits once", loc)

        def arrive() -> None:
            self.finish_copies(thread.block)
            for array in stage.arrays:
                array.shadow.clear()

        self.by_group(thread, "pipeline_wait", loc, arrive)
        stage.ahead = False

    def stage_of(self, thread: Thread) -> Stage | None:
        stages = self.stages.get(thread)
        return stages[-1] if stages else None

    def is_ahead(self, thread: Thread) -> bool:
        stage = self.stage_of(thread)
        return stage is not None and stage.ahead

    def shared_array(self, name: str, elem: Scalar, dims: tuple[int, ...], loc: Loc, key: int) -> MemoryView:
        """In the part of a pipelined loop that may run ahead, each iteration has an array of its own."""
        thread = self.thread
        stage = None if thread is None else self.stage_of(thread)
        if stage is None or not stage.ahead or thread is None:
            return super().shared_array(name, elem, dims, loc, key)
        view = super().shared_array(
            name, elem, dims, loc, hash((key, stage.number, *(s.number for s in self.stages[thread])))
        )
        stage.arrays.append(view.alloc)
        return view

    def load_in_kernel(self, view: MemoryView, indices: tuple[int, ...], loc: Loc) -> Number:
        if view.alloc.space is not Space.FRAG:
            return super().load_in_kernel(view, indices, loc)
        thread = self.in_threads("this", loc)
        flat = offset_of(view, indices, loc)
        return self.initialised(view.alloc, self.fragment_cell(thread, view.alloc, flat, loc), loc)

    def store_in_kernel(
        self, thread: Thread, view: MemoryView, indices: tuple[int, ...], value: Number, loc: Loc
    ) -> None:
        if view.alloc.space is not Space.FRAG:
            super().store_in_kernel(thread, view, indices, value, loc)
            return
        view.alloc.data[self.fragment_cell(thread, view.alloc, offset_of(view, indices, loc), loc)] = value

    def new_phase(self, what: str, group: Sequence[Thread]) -> None:
        if what == "blocksync":
            self.finish_copies(group[0].block)
        super().new_phase(what, group)

    def check_access(
        self, thread: Thread, alloc: Allocation, flat: int, loc: Loc, *, write: bool, atomic: str | None = None
    ) -> None:
        super().check_access(thread, alloc, flat, loc, write=write, atomic=atomic)
        if not self.stages.get(thread):
            return
        if write:
            self.note_stage_write(thread, alloc, loc)
            for stage in self.stages.get(thread, ()):
                if not stage.ahead:
                    stage.run.changed.setdefault((alloc, flat), loc)
        else:
            self.note_read_ahead(thread, alloc, flat, loc)

    def note_stage_write(self, thread: Thread, alloc: Allocation, loc: Loc) -> None:
        """The part that may run ahead writes its own shared arrays (and registers), the rest everything else (OG230)."""
        stages = self.stages.get(thread, ())
        for n, stage in enumerate(stages):
            last = n == len(stages) - 1
            if alloc in stage.arrays and not (stage.ahead and last):
                message = f"`{alloc.name}` is written after the wait: the next copy of it may be under way"
                raise Misbehaviour("OG230", message, loc)
        if stages and stages[-1].ahead and alloc not in stages[-1].arrays and alloc.space is not Space.TREG:
            message = f"`{alloc.name}` is written by the part of a pipelined loop that may run ahead"
            raise Misbehaviour("OG230", message, loc)

    def note_read_ahead(self, thread: Thread, alloc: Allocation, flat: int, loc: Loc) -> None:
        """The part that may run ahead does not read what the loop has changed (OG230)."""
        stage = self.stage_of(thread)
        if stage is not None and stage.ahead and (alloc, flat) in stage.run.changed and alloc not in stage.arrays:
            label = (Label(stage.run.changed[alloc, flat], "the loop changes it here"),)
            message = f"{index_of(alloc, flat)} is read by the part of a pipelined loop that may run ahead"
            raise Misbehaviour("OG230", message, loc, label)


def _count(dims: tuple[int, ...]) -> int:
    size = 1
    for n in dims:
        size *= n
    return size
