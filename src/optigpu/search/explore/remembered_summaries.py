"""Summaries of loops that earlier programs had, too: consecutive programs of a script have most of their loops in common.

A summary depends on the loop's code, on the values of its variables, on what is known before it and on the arrays around it, and
all of that has the same names wherever the loop is (search/fresh_names.py).
"""

from __future__ import annotations

from typing import TypeAlias

from optigpu.kernel import instructions as kc
from optigpu.light_dataclass import dataclass, replace
from optigpu.logic.facts import Facts
from optigpu.logic.terms import Sort, Term
from optigpu.search.explore.loop_effects import Effect, LoopSummary
from optigpu.search.explore.symbolic_memory import World
from optigpu.search.loop_memo import LoopMemo

MAX_REMEMBERED = 4000
Summarised: TypeAlias = tuple[LoopSummary, dict[Term, Term]]  # with the values of the variables that it depends on
_Question: TypeAlias = tuple[int, Facts, tuple[Term, ...], int]


@dataclass(frozen=True, slots=True)
class RememberedSummary:
    """`inner`: the summaries of the loops inside, by their place among all instructions of the loop."""

    loop: kc.CountedLoop
    arrays: dict[str, tuple[tuple[Term | None, ...], Sort]]
    summary: LoopSummary
    inner: tuple[tuple[int, Summarised], ...]


class RememberedSummaries:
    """What was found out about the loops of earlier programs."""

    def __init__(self) -> None:
        self._known: dict[_Question, list[RememberedSummary]] = {}
        self._hash: LoopMemo[int] = LoopMemo(hash)
        self.added = 0

    def question(self, loop: kc.CountedLoop, w: World, variables: frozenset[Term], depth: int) -> _Question:
        """What an answer is remembered by, besides the loop itself."""
        values = tuple(w.value(x) for x in sorted(variables))
        return self._hash(loop), w.facts, values, depth

    def recall(self, question: _Question, loop: kc.CountedLoop, w: World) -> RememberedSummary | None:
        entries, arrays = self._known.get(question, ()), arrays_in(w)
        return next((e for e in entries if e.loop == loop and e.arrays == arrays), None)

    def add(self, question: _Question, entry: RememberedSummary) -> None:
        self.added += 1
        if self.added % MAX_REMEMBERED == 0:
            self._known.clear()
        self._known.setdefault(question, []).append(entry)


def arrays_in(w: World) -> dict[str, tuple[tuple[Term | None, ...], Sort]]:
    """The arrays and variables in memory, with their sizes and the sort of their elements."""
    return {base: (c.dims, c.sort) for base, c in w.contents.items()}


def moved(x: Summarised, places: dict[int, int]) -> Summarised:
    """A summary for a loop with the same code elsewhere. `places`: the `at` of its instructions there."""
    summary, inputs = x

    def of_effect(e: Effect) -> Effect:
        return replace(e, updates=tuple(replace(u, at=places.get(u.at, u.at)) for u in e.updates))

    return replace(summary, effects={base: of_effect(e) for base, e in summary.effects.items()}), inputs
