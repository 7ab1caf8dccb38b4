"""The heap: allocations, pointers into them, and the checks of every access: bounds, lifetime, rights, and data races by the rule
of `happens_before.py`."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import field
from itertools import product
from typing import TypeAlias

from optigpu.interp.default_memory import GroupShadow
from optigpu.interp.happens_before import RecordedAccess, Shadow, TaskPath, concurrent
from optigpu.interp.misbehaviour import Misbehaviour
from optigpu.interp.numeric_values import atomic_result
from optigpu.interp.rounded_numbers import Number
from optigpu.light_dataclass import dataclass
from optigpu.syntax.diagnostic import Label
from optigpu.syntax.source import Loc
from optigpu.syntax.types import Scalar, Space


class Uninit:
    """The contents of a cell that was not written yet."""

    def __repr__(self) -> str:
        return "uninit"


UNINIT = Uninit()
ATOMICALLY = "atomically changes"
Contents: TypeAlias = Number | Uninit


@dataclass(slots=True, eq=False)
class Allocation:
    """A block of memory: a heap allocation, a local variable or array, or an array of the caller."""

    name: str
    elem: Scalar
    dims: tuple[int, ...]
    space: Space
    loc: Loc
    heap: bool  # whether it must be freed
    depth: int  # number of calls that were active when it was allocated; 0 for arguments of the tested function
    data: list[Contents]
    alive: bool = True
    freed_at: Loc | None = None
    shadow: dict[int, Shadow] = field(default_factory=dict)
    group_shadow: dict[int, GroupShadow] = field(default_factory=dict)  # of default memory, by threads of a kernel
    iterations: TaskPath = ()  # of a register: the iterations of magic loops in which it was declared
    copies: int = 1  # of a distributed array: its first size, the number of blocks or threads that have a copy
    owner: int | None = None  # the block of a shared array, the first thread of a register array
    generations: list[int] | None = (
        None  # of a `__shared__` array: for each cell, in which entry of the scope it was written
    )

    @property
    def bytes_per_copy(self) -> int:
        return len(self.data) // max(self.copies, 1) * self.elem.size


@dataclass(frozen=True, slots=True)
class MemoryView:
    """A pointer into an allocation: its element [i][j] is the allocation's element [*lead][shift + i][j]."""

    alloc: Allocation
    lead: tuple[int, ...] = ()
    shift: int = 0

    @property
    def rank(self) -> int:
        return len(self.alloc.dims) - len(self.lead)

    def dims(self) -> tuple[int, ...]:
        rest = self.alloc.dims[len(self.lead) :]
        return (rest[0] - self.shift, *rest[1:])

    def full_index(self, indices: tuple[int, ...]) -> tuple[int, ...]:
        return (*self.lead, self.shift + indices[0], *indices[1:]) if indices else self.lead

    def row(self, indices: tuple[int, ...]) -> MemoryView:
        """`a[i]` of a matrix."""
        return MemoryView(self.alloc, self.full_index(indices))

    def address(self, indices: tuple[int, ...]) -> MemoryView:
        """`&a[i][j]`"""
        full = self.full_index(indices)
        return MemoryView(self.alloc, full[:-1], full[-1])


def box_indices(sizes: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """The indices of all elements of an array of these sizes, in row-major order."""
    return product(*map(range, sizes))


def offset_of(view: MemoryView, indices: tuple[int, ...], loc: Loc) -> int:
    """The flat position of an element. Each index must be within its own dimension (OG201)."""
    dims = view.alloc.dims
    full = view.full_index(indices) if view.lead or view.shift else indices
    flat = 0
    for i, n in zip(full, dims):
        if not 0 <= i < n:
            raise out_of_bounds(view.alloc, full, loc)
        flat = flat * n + i
    return flat


def checked_pointer(view: MemoryView, loc: Loc) -> MemoryView:
    """The view itself, if C allows this pointer: to an element of a row, or one past the last (OG201)."""
    dims, rows = view.alloc.dims, view.lead
    inside = all(0 <= i < n for i, n in zip(rows, dims))
    if not inside or (len(rows) < len(dims) and not 0 <= view.shift <= dims[len(rows)]):
        raise out_of_bounds(view.alloc, (*rows, view.shift) if len(rows) < len(dims) else rows, loc, "the pointer &")
    return view


def out_of_bounds(alloc: Allocation, index: tuple[int, ...], loc: Loc, what: str = "") -> Misbehaviour:
    where = "".join(f"[{i}]" for i in index)
    size = "".join(f"[{n}]" for n in alloc.dims)
    label = (Label(alloc.loc, f"`{alloc.name}` has the size {size}"),)
    return Misbehaviour(
        "OG201", f"{what}{alloc.name}{where} is outside `{alloc.name}`, which is {alloc.name}{size}", loc, label
    )


def index_of(alloc: Allocation, flat: int) -> str:
    """The text of a flat position: `a[i][j]`, or the name of a scalar variable."""
    if alloc.dims == (1,) and not alloc.heap and alloc.name.isidentifier() and alloc.loc.line and alloc.depth:
        return alloc.name
    parts: list[int] = []
    for n in reversed(alloc.dims):
        parts.append(flat % n)
        flat //= n
    return alloc.name + "".join(f"[{i}]" for i in reversed(parts))


@dataclass(slots=True)
class Rights:
    """The cells that the contract of the running function gives it: (id of the allocation, position) -> whether it may write.

    The function may access only these cells and memory that was allocated since it was called, at a depth of at least `depth`.
    """

    function: str
    cells: dict[tuple[int, int], bool]
    depth: int
    arrays: tuple[Allocation, ...] = ()  # those of the cells


class Heap:
    """All memory of a run, with the running task, for races, and the rights of the running function, for contracts."""

    def __init__(self) -> None:
        self.path: TaskPath = ()
        self.depth = 0
        self.rights: Rights | None = None
        self.live: list[Allocation] = []

    def allocate(
        self, name: str, elem: Scalar, dims: tuple[int, ...], loc: Loc, *, heap: bool, space: Space = Space.ANY
    ) -> MemoryView:
        size = 1
        for n in dims:
            if n < 0:
                raise Misbehaviour("OG201", f"`{name}` is allocated with the negative size {n}", loc)
            size *= n
        if size > 50_000_000:
            raise Misbehaviour("OG209", f"`{name}` is allocated with {size} elements: too many to run", loc)
        alloc = Allocation(name, elem, dims, space, loc, heap, self.depth, [UNINIT] * size)
        if heap:
            self.live.append(alloc)
        return MemoryView(alloc)

    def free(self, view: MemoryView, loc: Loc) -> None:
        alloc = view.alloc
        if not alloc.alive:
            raise Misbehaviour("OG204", f"`{alloc.name}` is freed twice", loc, self.freed_label(alloc))
        if not alloc.heap or view.lead or view.shift:
            what = "is not the start of" if alloc.heap else "was not made by"
            raise Misbehaviour("OG204", f"this {what} an allocation: it cannot be freed", loc)
        if self.rights is not None and alloc.depth < self.rights.depth:
            for flat in range(len(alloc.data)):
                self.check_rights(alloc, flat, True, loc)
        for flat in range(len(alloc.data)):
            self.note(alloc, flat, loc, write=True)
        alloc.alive = False
        alloc.freed_at = loc
        self.live.remove(alloc)

    def freed_label(self, alloc: Allocation) -> tuple[Label, ...]:
        return (Label(alloc.freed_at, "freed here"),) if alloc.freed_at is not None else ()

    def load(self, view: MemoryView, indices: tuple[int, ...], loc: Loc) -> Number:
        alloc = view.alloc
        if not alloc.alive:
            raise Misbehaviour("OG203", f"`{alloc.name}` is read after it was freed", loc, self.freed_label(alloc))
        flat = offset_of(view, indices, loc)
        if self.rights is not None and alloc.depth < self.rights.depth:
            self.check_rights(alloc, flat, False, loc)
        value = alloc.data[flat]
        if self.path:
            self.note(alloc, flat, loc, write=False)
        if isinstance(value, Uninit):
            raise Misbehaviour("OG202", f"{index_of(alloc, flat)} is read before anything was written to it", loc)
        return value

    def store(self, view: MemoryView, indices: tuple[int, ...], value: Number, loc: Loc) -> None:
        alloc = view.alloc
        if not alloc.alive:
            raise Misbehaviour("OG203", f"`{alloc.name}` is written after it was freed", loc, self.freed_label(alloc))
        flat = offset_of(view, indices, loc)
        if self.rights is not None and alloc.depth < self.rights.depth:
            self.check_rights(alloc, flat, True, loc)
        if self.path:
            self.note(alloc, flat, loc, write=True)
        alloc.data[flat] = value

    def accumulate(self, view: MemoryView, indices: tuple[int, ...], operator: str, value: Number, loc: Loc) -> None:
        """An atomic operation. Between iterations that run at once, integers are added modulo 2^bits, in any order."""
        alloc = view.alloc
        if not alloc.alive:
            raise Misbehaviour("OG203", f"`{alloc.name}` is changed after it was freed", loc, self.freed_label(alloc))
        flat = offset_of(view, indices, loc)
        if self.rights is not None and alloc.depth < self.rights.depth:
            self.check_rights(alloc, flat, True, loc)
        if self.path:
            self.note(alloc, flat, loc, write=True, atomic=operator)
        old = alloc.data[flat]
        if isinstance(old, Uninit):
            raise Misbehaviour("OG202", f"{index_of(alloc, flat)} is read before anything was written to it", loc)
        alloc.data[flat] = atomic_result(operator, old, value, alloc.elem, loc, alone=not self.path)

    def check_rights(self, alloc: Allocation, flat: int, write: bool, loc: Loc) -> None:
        assert self.rights is not None
        may_write = self.rights.cells.get((id(alloc), flat))
        if may_write is None:
            message = (
                f"{index_of(alloc, flat)} is used, but the contract of `{self.rights.function}` does not mention it"
            )
            raise Misbehaviour("OG215", message, loc)
        if write and not may_write:
            message = f"{index_of(alloc, flat)} is written, but the contract of `{self.rights.function}` only reads it"
            raise Misbehaviour("OG215", message, loc)

    def may_write(self, alloc: Allocation, flat: int) -> bool:
        """May the running function write this cell, by its contract?"""
        rights = self.rights
        return rights is None or alloc.depth >= rights.depth or bool(rights.cells.get((id(alloc), flat)))

    def note(self, alloc: Allocation, flat: int, loc: Loc, *, write: bool, atomic: str | None = None) -> None:
        """Record an access, and report a race with an earlier one (OG210). `atomic`: the operator of an atomic operation."""
        path = self.path
        if not path:
            return
        shadow = alloc.shadow.get(flat)
        if shadow is None:
            shadow = alloc.shadow[flat] = Shadow()
        now = ATOMICALLY if atomic else "writes" if write else "reads"
        last = shadow.write
        if last is not None and last.path is not path and concurrent(last.path, path):
            self.race(alloc, flat, last, "writes", loc, now)
        for (_, operator), other in shadow.atomics.items():
            if operator != atomic and other.path is not path and concurrent(other.path, path):
                self.race(alloc, flat, other, ATOMICALLY, loc, now)
        if write:
            for read in shadow.reads.values():
                if read.path is not path and concurrent(read.path, path):
                    self.race(alloc, flat, read, "reads", loc, now)
        if atomic:
            shadow.atomics[self.task(), atomic] = self.access(loc)
        elif write:
            shadow.write = self.access(loc)
            shadow.reads.clear()
            shadow.atomics.clear()
        else:
            shadow.reads[self.task()] = self.access(loc)

    def task(self) -> Hashable:
        """The running task. Reads of one task are ordered, so the last one represents all of them."""
        return self.path

    def access(self, loc: Loc) -> RecordedAccess:
        return RecordedAccess(self.path, loc)

    def race(self, alloc: Allocation, flat: int, other: RecordedAccess, then: str, loc: Loc, now: str) -> None:
        self.report_race(alloc, flat, self.parties(self.access(loc), other), other.loc, then, loc, now)

    def report_race(
        self, alloc: Allocation, flat: int, parties: tuple[str, str], place: Loc, then: str, loc: Loc, now: str
    ) -> None:
        """Report a race: the cell, both accesses, their places, and the tasks that make them, the later one first."""
        task, other_task = parties
        cell = index_of(alloc, flat)
        story = (
            f"{other_task} {then} {cell} at line {place.line}; {task} {now} it at line {loc.line}; nothing orders them"
        )
        labels = (Label(place, f"{other_task} {then} it here"),) if place != loc else ()
        message = f"data race on {cell}: nothing orders two accesses of it"
        raise Misbehaviour("OG210", message, loc, labels, (("witness", story),))

    def parties(self, access: RecordedAccess, other: RecordedAccess) -> tuple[str, str]:
        """The names of the two tasks of a race, by the iterations in which their paths first differ."""
        for (_, x), (_, y) in zip(access.path, other.path):
            if x != y:
                return f"iteration {x}", f"iteration {y}"
        return f"iteration {access.path[-1][1]}", f"iteration {other.path[-1][1]}"
