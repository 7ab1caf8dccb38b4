"""Effects of a loop on memory: one for each array or variable that it writes.

They are inferred from the updates of one symbolic iteration v. Terms are over v and the contents at the loop's entry; the cells and
the value of an update are under its binders.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import field
from typing import TypeAlias

from optigpu.kernel.iterations import IterationRange
from optigpu.light_dataclass import dataclass, replace
from optigpu.logic import terms as k
from optigpu.logic.cells import Cells, over, same
from optigpu.logic.facts import Facts
from optigpu.logic.terms import Term
from optigpu.search.explore.accumulation import Accumulator, FirstMaximum, Latch, Scaled, Telescoped
from optigpu.search.explore.symbolic_memory import Content, Update
from optigpu.search.samples import advice
from optigpu.search.search_tools import SearchTools
from optigpu.search.variable_ranges import Changed, RangeSearch


@dataclass(frozen=True, slots=True)
class OwnCells:
    """Each iteration writes cells of its own, `a[v] = f(v);`: the value is what iteration v leaves there.

    `read_later`: a later iteration reads them, as in `a[v] = a[v - 1] + f(v);`.
    """

    base: str
    updates: tuple[Update, ...]
    read_later: bool = False


@dataclass(frozen=True, slots=True)
class Accumulation:
    """`s += f(v);`: at the start of iteration v the cells hold their entry value (op) all summands before v.

    The value of the update is the summand.
    """

    base: str
    updates: tuple[Update, ...]
    accumulator: Accumulator


@dataclass(frozen=True, slots=True)
class Scratch:
    """`t = f(v);`: at the start of v the cells hold what iteration v - 1 left (the value at v - 1), or what they held at entry."""

    base: str
    updates: tuple[Update, ...]


@dataclass(frozen=True, slots=True)
class RotatingBuffer:
    """`t[(v + c) % m] = f(v);`: at the start of v, a slot holds what the last iteration that wrote it left.

    What a slot held at entry stands for iterations before the first one, as the prologue of a software pipeline leaves it.
    """

    base: str
    updates: tuple[Update, ...]


@dataclass(frozen=True, slots=True)
class DeclaredInvariant:
    """The user wrote down what the cells hold at the start of iteration v."""

    base: str
    updates: tuple[Update, ...]


@dataclass(frozen=True, slots=True)
class UnknownEffect:
    """The cells are written, but no law for their values was found."""

    base: str
    updates: tuple[Update, ...]
    read_later: bool = False


Effect: TypeAlias = OwnCells | Accumulation | Scratch | RotatingBuffer | DeclaredInvariant | UnknownEffect


def may_be_unknown(effect: Effect) -> bool:
    """May it turn out that there is no law for the values? Then a loop over a few numbers is unrolled."""
    latest = isinstance(effect, Accumulation) and isinstance(effect.accumulator, FirstMaximum)
    return isinstance(effect, UnknownEffect) or latest


def has_no_law(effect: Effect, value: Term) -> bool:
    """Is this value, which an effect leaves, one for which no law can be shown: an index where another number came first?"""
    latest = isinstance(effect, Accumulation) and isinstance(effect.accumulator, FirstMaximum)
    return latest and value.op == "ite"


def is_read_later(effect: Effect) -> bool:
    """Does an iteration read what an earlier one wrote to its own cells?"""
    return isinstance(effect, OwnCells | UnknownEffect) and effect.read_later


def is_private(effect: Effect) -> bool:
    """Does no iteration read or write what another one writes? Only such iterations can be threads."""
    return isinstance(effect, OwnCells) and not effect.read_later


def substituted(effect: Effect, names: dict[Term, Term]) -> Effect:
    """Substitute terms for variables in an effect."""
    effect = replace(effect, updates=tuple(u.substitute(names) for u in effect.updates))
    if not isinstance(effect, Accumulation):
        return effect
    match effect.accumulator:
        case Latch(value):
            return replace(effect, accumulator=Latch(k.substitute(value, names)))
        case Scaled(weight):
            return replace(effect, accumulator=Scaled(k.substitute(weight, names)))
        case Telescoped(offset):
            return replace(effect, accumulator=Telescoped(k.substitute(offset, names)))
        case FirstMaximum(initial, low, body):
            parts = (k.substitute(t, names) for t in (initial, low, body))
            return replace(effect, accumulator=FirstMaximum(*parts))
        case _:
            return effect


@dataclass
class LoopSummary:
    """The result of running a loop's body once, for a symbolic iteration v."""

    v: Term
    range: IterationRange
    entry: dict[str, Content]  # contents at the loop's entry, by name
    effects: dict[str, Effect] = field(default_factory=dict)
    facts: Facts = field(default_factory=Facts)  # those of the body
    invariants: tuple[Term, ...] = ()  # facts of the user's, under v
    reads: tuple[Cells, ...] = ()  # all cells that an iteration reads
    # integer variables it changes, with their values at the end of an iteration
    finals: tuple[tuple[str, Term], ...] = ()
    learned: tuple[Term, ...] = ()  # what is known there besides the facts of the body

    def ranges(self, tools: SearchTools, facts: Facts, actual: dict[Term, Term]) -> dict[str, Term]:
        """Find bounds of the integer variables that the loop changes, as terms under v and the value. See variable_ranges.py.

        `actual`: values for the names of entry contents. For what the loop changes, these names mean the start of an iteration.
        """
        if not self.finals:
            return {}
        starts = {b: self.entry[b].start for b in self.effects}
        names = {x: t for x, t in actual.items() if x not in starts.values()}
        changed = {
            b: Changed(starts[b], k.substitute(t, names), actual[starts[b]])
            for b, t in self.finals
            if starts[b] in actual
        }
        inside = facts.assume(k.le(self.range.low, self.v), k.lt(self.v, self.range.high))
        inside = inside.assume(*(k.substitute(p, names) for p in self.learned))
        return RangeSearch(tools, inside, self.v, self.range, changed, starts.values()).laws()

    def of_all_iterations(self, cells: Cells) -> Cells:
        """Return the cells of all iterations together: v becomes the first binder."""
        return over(cells, self.v, self.range.low, self.range.high)

    def shared_effect(self, accumulated: Container[str] = ()) -> Effect | None:
        """Find an effect that rules out threads as iterations: one iteration writes what another reads or writes.

        `accumulated`: arrays that the iterations change by atomic operations alone.
        """
        effects = tuple(e for e in self.effects.values() if e.base not in accumulated)
        first = [e for e in effects if is_read_later(e)]
        return next((e for e in (*first, *effects) if not is_private(e)), None)

    def blamed_instruction(self, base: str) -> int | None:
        """Return the `at` of an instruction that writes to the base, to report if the loop may not do so."""
        effect = self.effects.get(base)
        return None if effect is None else first_instruction(effect)


def first_instruction(effect: Effect) -> int | None:
    """Return the `at` of the first instruction that contributes to the effect."""
    return next((u.at for u in effect.updates if u.at), None)


def same_but_for_guard(a: Cells, b: Cells) -> bool:
    """Do two sets of cells differ at most by their condition?"""
    return a.ranges == b.ranges and a.index == b.index


def is_injective(tools: SearchTools, facts: Facts, cells: Cells) -> bool:
    """Does a cell determine the values of the binders?"""
    known = advice(facts).answers
    if cells not in known:
        first, xs = tools.names.temporaries_made, tools.temporaries(cells.arity)
        inside = facts.assume(cells.domain(xs))
        back = tools.invert(cells, cells.at(xs), inside)
        tools.names.temporaries_made = first
        known[cells] = back is not None and tools.proves(inside, same(back, xs))
    return bool(known[cells])
