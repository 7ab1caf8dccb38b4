"""Fresh variables of a search: binders that are bound again, contents of arrays at a point, values of which nothing is known.

They need to differ only from each other within one function. Each function starts to count anew, so that the same search meets the
same terms, and what is remembered of them.
"""

from __future__ import annotations

import itertools

from optigpu.logic import terms as k
from optigpu.logic.cells import Terms
from optigpu.logic.terms import INT, Sort, Term

CONTENTS = "@"  # first in the name of what only an exploration knows
OPAQUE = "@opaque."
WHOLE_EXTENT = k.var("@extent", INT)  # stands for the extent of an array in a dimension, whatever it is


def at_entry(contents: Term) -> Term:
    """The name of contents before a loop, where it must be told from that of the contents at the start of an iteration."""
    return k.var(f"{contents.data}!entry", contents.sort)


class FreshNames:
    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        self._numbers = itertools.count(1)

    def temporaries(self, n: int, stem: str = "b") -> Terms:
        """Integer variables for the time of a search; they are bound again before anything reaches the kernel."""
        return tuple(k.var(f"${stem}{next(self._numbers)}", INT) for _ in range(n))

    def contents(self, base: str, sort: Sort) -> Term:
        """The contents of an array at a point of which nothing is known: a function from indices to values, or one value."""
        return k.var(f"{CONTENTS}{base}.{next(self._numbers)}", sort)

    def opaque(self, sort: Sort) -> Term:
        """A value of which nothing is known."""
        return k.var(f"{OPAQUE}{next(self._numbers)}", sort)


def is_opaque(t: Term) -> bool:
    return t.op == "var" and str(t.data).startswith(OPAQUE)


def is_transient(x: Term) -> bool:
    """Is this a variable of the search that no proof may mention: a binder for a time, or a value of which nothing is known?"""
    return str(x.data).startswith((OPAQUE, "$"))


def mentions_opaque(t: Term) -> bool:
    """Does a term depend on values of which nothing is known?"""
    return any(is_opaque(x) for x in t.free)


def is_expressible(t: Term) -> bool:
    """Is a term made of the proof's own variables, without contents that only an exploration has names for?"""
    return not any(str(x.data).startswith(CONTENTS) for x in t.free)
