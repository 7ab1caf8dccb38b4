"""Fresh variables of a search: binders that are bound again, contents of arrays at a point, values of which nothing is known.

They need to differ only from each other where they meet: temporaries are numbered anew by each search, iterations and contents by
the depth of explored loops. So the same search meets the same terms, and what is remembered of them, wherever it takes place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from optigpu.light_dataclass import replace
from optigpu.logic import terms as k
from optigpu.logic.cells import Terms
from optigpu.logic.names import Name, Origin
from optigpu.logic.terms import INT, Sort, Term

P = ParamSpec("P")
R = TypeVar("R")
DIGITS = "0123456789"
FIRST_TEMPORARY = 100_000  # temporaries are eliminated before iterations, whose numbers are smaller
WHOLE_EXTENT = k.var(
    Name(Origin.CONTENTS, "extent", 0), INT
)  # stands for the extent of an array in a dimension, whatever it is


def at_entry(contents: Term) -> Term:
    """The name of contents before a loop, where it must be told from that of the contents at the start of an iteration."""
    return k.var(replace(contents.data, origin=Origin.ENTRY), contents.sort)


def search_var(stem: str, number: int, sort: Sort) -> Term:
    """A variable for the time of a search. Digits at the end of its stem belong to the number."""
    letters = stem.rstrip(DIGITS)
    return k.var(Name(Origin.SEARCH, letters, int(f"{stem[len(letters) :]}{number}")), sort)


def scoped(f: Callable[P, R]) -> Callable[P, R]:
    """A method whose result has none of the temporaries that it makes. Its object has `tools`."""

    @wraps(f)
    def inside(*args: P.args, **kwargs: P.kwargs) -> R:
        owner: Any = args[0]
        names: FreshNames = owner.tools.names
        first = names.temporaries_made
        try:
            return f(*args, **kwargs)
        finally:
            names.temporaries_made = first

    return inside


class FreshNames:
    """Makes variables with a number of their own."""

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        self.opaque_made = 0
        self.depth = 0  # explored loops around this point
        self.temporaries_made = FIRST_TEMPORARY  # the number of the next one

    def temporaries(self, n: int, stem: str = "b") -> Terms:
        """Make integer variables for the time of a search; they are bound again before anything reaches the kernel."""
        first, self.temporaries_made = self.temporaries_made, self.temporaries_made + n
        return tuple(search_var(stem, number, INT) for number in range(first, first + n))

    def iteration(self, index: Term) -> Term:
        """The symbolic iteration of an explored loop. If nothing around has the name of its index, the normaliser eliminates the
        iteration early, otherwise as late as sizes."""
        name: Name = index.data
        if name.number == 1:
            return search_var(name.stem, self.depth, INT)
        return k.var(Name(Origin.ITERATION, name.stem, int(f"{name.number}{self.depth}")), INT)

    def contents(self, base: str, sort: Sort) -> Term:
        """Name the contents of an array where the exploration of a loop starts: a function from indices to values, or one value."""
        return k.var(Name(Origin.CONTENTS, base, self.depth), sort)

    def opaque(self, sort: Sort) -> Term:
        """Make a value of which nothing is known."""
        self.opaque_made += 1
        return k.var(Name(Origin.OPAQUE, "", self.opaque_made), sort)

    @contextmanager
    def inside_loop(self) -> Iterator[None]:
        """Explore the body of a loop."""
        self.depth += 1
        try:
            yield
        finally:
            self.depth -= 1


def is_opaque(t: Term) -> bool:
    return t.op == "var" and t.data.origin is Origin.OPAQUE


def is_transient(x: Term) -> bool:
    """Is this a variable that exists only during a search: a temporary, or a value of which nothing is known?"""
    return x.data.origin in (Origin.OPAQUE, Origin.SEARCH, Origin.ITERATION)


def mentions_opaque(t: Term) -> bool:
    """Does a term depend on values of which nothing is known?"""
    return any(is_opaque(x) for x in t.free)


def is_expressible(t: Term) -> bool:
    """Is a term made of the proof's own variables, without names that only an exploration gives to contents?"""
    return not any(x.data.explored for x in t.free)
