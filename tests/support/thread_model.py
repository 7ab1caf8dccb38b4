"""The finite model of threads: every access of every thread, and what orders two of them.

A kernel's program is run one thread after the other, which is one of its schedules. Two accesses of one cell by different threads
are ordered if a barrier of a group that has both threads lies between them; if not, and one is a write, they race.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from optigpu.kernel import instructions as kc
from optigpu.kernel.iterations import values_of
from tests.support.terms import evaluate

Cell = tuple[str, tuple[int, ...]]


class Misbehaved(Exception):
    """A race, an access outside, or a barrier that not all its threads reach."""


@dataclass
class Machine:
    env: dict[str, Any]
    memory: dict[Cell, Any] = field(default_factory=dict)
    spaces: dict[str, str] = field(default_factory=dict)
    accesses: dict[Cell, list[tuple[int, int, bool]]] = field(default_factory=dict)  # (time, thread, written)
    barriers: list[tuple[int, int, int]] = field(default_factory=list)  # (time, first thread, number of threads)
    time: int = 0
    block: int = 1
    grid: int = 1

    def value(self, t: Any) -> Any:
        return evaluate(t, self.env)

    def run(self, code: kc.Instructions, first: int, threads: int) -> None:
        """Code that a group of threads executes; the host is a group of one thread, number -1."""
        for i in code:
            self.step(i, first, threads)

    def touch(self, place: kc.CellAddress, first: int, threads: int, written: bool) -> Cell:
        cell = (self.at_block(place.base, first), tuple(self.value(e) for e in place.index))
        if cell not in self.memory:
            raise Misbehaved(f"outside: {cell}")
        self.time += 1
        if self.spaces[place.base] != "TReg":
            for t in range(first, first + threads):
                self.accesses.setdefault(cell, []).append((self.time, t, written))
        return cell

    def at_block(self, base: str, first: int) -> str:
        return f"{base} of block {first // self.block}" if self.spaces[base] == "SMem" and first >= 0 else base

    def step(self, i: kc.Instruction, first: int, threads: int) -> None:
        match i:
            case kc.Bind(target, value):
                self.env[str(target.data)] = self.value(value)
            case kc.LoadCell(target, place):
                self.env[str(target.data)] = self.memory[self.touch(place, first, threads, False)]
            case kc.StoreCell(place, value):
                self.memory[self.touch(place, first, threads, True)] = self.value(value)
            case kc.Allocate(base, _, dims):
                self.spaces[base] = "TReg" if i.space == "TReg" or (i.space == "Any" and first >= 0) else i.space
                sizes = [self.value(d) for d in dims]
                if i.distributed:
                    sizes = [threads if i.space == "TReg" else self.grid, *sizes]
                here = self.at_block(base, first)
                for cell in _box(sizes):
                    self.memory.setdefault(
                        (here, cell), Fraction(0)
                    )  # a block has one copy, also of what it declares twice
            case kc.Branch(test, then, other):
                self.run(then if self.value(test) else other, first, threads)
            case kc.CountedLoop():
                self.loop(i, first, threads)
            case kc.Barrier(level):
                self.time += 1
                if threads != (self.block if level == "block" else 32):
                    raise Misbehaved("barrier")
                self.barriers.append((self.time, first, threads))
            case kc.LaunchKernel():
                self.grid, self.block = self.value(i.grid), self.value(i.block)
            case _:
                pass

    def loop(self, i: kc.CountedLoop, first: int, threads: int) -> None:
        values = values_of(i, *(self.value(t) for t in (i.start, i.bound, i.amount)))
        part = threads
        if not values:
            return
        if i.mode == kc.THREAD:
            if threads % len(values):
                raise Misbehaved("extent")
            part = threads // len(values)
        for n, v in enumerate(values):
            self.env[str(i.index.data)] = v
            self.run(i.body, first + n * part if i.mode == kc.THREAD else first, part)

    def races(self) -> list[tuple[Cell, int, int]]:
        out = []
        for cell, events in self.accesses.items():
            for n, (time, thread, written) in enumerate(events):
                for later, other, wrote in events[n + 1 :]:
                    if thread != other and (written or wrote) and not self.ordered(time, thread, later, other):
                        out.append((cell, thread, other))
        return out

    def ordered(self, time: int, thread: int, later: int, other: int) -> bool:
        return any(time < at < later and f <= thread < f + n and f <= other < f + n for at, f, n in self.barriers)


def _box(sizes: list[int]) -> list[tuple[int, ...]]:
    cells: list[tuple[int, ...]] = [()]
    for n in sizes:
        cells = [(*c, i) for c in cells for i in range(n)]
    return cells


def run_kernel(code: kc.Instructions, env: dict[str, Any], arrays: dict[str, list[int]]) -> list[tuple[Cell, int, int]]:
    """The races of a function's only kernel."""
    machine = Machine(dict(env))
    for base, sizes in arrays.items():
        machine.spaces[base] = "GMem"
        for cell in _box(sizes):
            machine.memory[base, cell] = Fraction(0)
    names = [type(i).__name__ + getattr(i, "to", "") for i in code]
    start, end = names.index("Phasethreads"), names.index("Phaseteardown")
    machine.run(code[: start + 1], -1, 1)
    machine.run(code[start + 1 : end], 0, machine.grid * machine.block)
    return machine.races()
