"""The race rule for default memory in a kernel: who acts on it, and what a magic barrier orders.

Default memory is what host code allocates. A kernel uses it until it is converted, and no instruction orders it: blocksync and
warpsync do not. A group of threads acts on it as one, and so does an iteration of a magic thread loop. An actor's accesses are
ordered before those that it, or a part of it, makes later. Everything else is ordered by a magic barrier of a group that includes
whoever made the earlier access, or by the end of the kernel.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import NamedTuple, TypeAlias

from optigpu.interp.happens_before import TaskPath
from optigpu.light_dataclass import dataclass
from optigpu.syntax.source import Loc


class Actor(NamedTuple):
    """The threads base .. base + size of a launch, or an iteration of the magic loops that they execute."""

    launch: int
    base: int
    size: int
    iterations: TaskPath = ()  # of the magic loops around, from the outside in

    def includes(self, other: Actor) -> bool:
        """Whether the other actor is this one, or a part of it."""
        if self.launch != other.launch:
            return False
        if self.iterations:
            same = (self.base, self.size) == (other.base, other.size)
            return same and other.iterations[: len(self.iterations)] == self.iterations
        return self.base <= other.base and other.base + other.size <= self.base + self.size


Clock: TypeAlias = Mapping[Actor, int]  # how many magic barriers of each group are known to be over


class GroupAccess(NamedTuple):
    """An access to default memory in a kernel."""

    actor: Actor
    clock: Clock
    loc: Loc
    who: tuple[tuple[str, int], ...]  # names and values of the thread loops' indices around

    def is_before(self, actor: Actor, clock: Clock) -> bool:
        """Whether this access happens before what the actor does now."""
        if self.actor.launch != actor.launch or self.actor.includes(actor):
            return True
        return any(n > self.clock.get(g, 0) and g.includes(self.actor) for g, n in clock.items())

    def describe(self) -> str:
        """Who makes the access, in a message."""
        around = ", ".join(f"{n} = {v}" for n, v in self.who)
        place = f" ({around})" if around else ""
        if self.actor.iterations:
            return "magic iteration " + ", ".join(str(i) for _, i in self.actor.iterations) + place
        if self.actor.size == 1:
            return f"thread {self.actor.base} of the grid{place}"
        return f"the group of threads {self.actor.base} to {self.actor.base + self.actor.size - 1}{place}"


@dataclass(slots=True)
class GroupShadow:
    """The accesses to a cell that later ones can race with: the last write, and the last read of each actor since then."""

    write: GroupAccess | None = None
    reads: dict[Actor, GroupAccess] = field(default_factory=dict)

    def conflicting(self, access: GroupAccess, write: bool) -> tuple[GroupAccess, str] | None:
        """An earlier access that races with this one, and whether it has read or written the cell."""
        if self.write is not None and not self.write.is_before(access.actor, access.clock):
            return self.write, "writes"
        for read in self.reads.values() if write else ():
            if not read.is_before(access.actor, access.clock):
                return read, "reads"
        return None

    def note(self, access: GroupAccess, write: bool) -> None:
        if write:
            self.write = access
            self.reads.clear()
        else:
            self.reads[access.actor] = access


def after_barrier(group: Actor, clocks: Iterable[Clock]) -> Clock:
    """What the members of a group know after a magic barrier of it: all that any of them knew, and the barrier."""
    known: dict[Actor, int] = {}
    for clock in clocks:
        for g, n in clock.items():
            known[g] = max(n, known.get(g, 0))
    known[group] = known.get(group, 0) + 1
    return known


def known_to_all(clocks: Iterable[Clock]) -> Clock:
    """The barriers that all members of a group know to be over: what the group knows when it acts as one."""
    first, *rest = clocks
    if all(clock is first for clock in rest):
        return first
    return {g: min(n, *(clock.get(g, 0) for clock in rest)) for g, n in first.items()}
