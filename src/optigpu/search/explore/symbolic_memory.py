"""Symbolic memory: each array is a function from indices to values, with a log of updates on top. There are no permissions.

After `a[i] = 1; a[j] = 2;` the contents of a are its start with the updates [{i}: 1, {j}: 2]. Reading a[k] gives
`k == j ? 2 : k == i ? 1 : start(k)`, simplified by what is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from optigpu.kernel import instructions as kc
from optigpu.light_dataclass import dataclass, replace
from optigpu.logic import terms as k
from optigpu.logic.cells import Cells, Terms, same
from optigpu.logic.facts import Facts
from optigpu.logic.terms import INT, TRUE, Sort, Term, instantiate
from optigpu.search.fresh_names import WHOLE_EXTENT, scoped
from optigpu.search.search_causes import Obstacle
from optigpu.search.search_tools import SearchTools


@dataclass(frozen=True, slots=True)
class Update:
    """New contents of some cells: `value` is under the binders of `cells`."""

    cells: Cells
    value: Term
    at: int = field(default=0, compare=False)  # the instruction that makes it
    written: bool = True  # False: the cells count as uninitialised
    init: Term = TRUE  # which of them count as initialised, under the binders
    uncertain: bool = False  # made or not: cells that were initialised still are

    def member(self, tools: SearchTools, index: Terms, facts: Facts) -> tuple[Term, Term] | None:
        """Return (does the update have the cell at this index, its value), or None if that cannot be computed."""
        if any(WHOLE_EXTENT in high.free for _, high in self.cells.ranges):
            return TRUE, instantiate(self.value, index)
        at = tools.invert(self.cells, index, facts)
        if at is None:
            return None
        return k.and_(self.cells.domain(at), same(self.cells.at(at), index)), instantiate(self.value, at)

    def substitute(self, names: dict[Term, Term]) -> Update:
        cells, value, init = (
            self.cells.substitute(names),
            k.substitute(self.value, names),
            k.substitute(self.init, names),
        )
        return replace(self, cells=cells, value=value, init=init)


@dataclass(frozen=True, slots=True)
class Content:
    """What an array holds: what it held at the start (a function of the index, or one value) and the updates since."""

    start: Term
    dims: tuple[Term | None, ...]  # the sizes of the array, as far as known
    updates: tuple[Update, ...] = ()

    @property
    def rank(self) -> int:
        return len(self.dims)

    @property
    def sort(self) -> Sort:
        """The sort of the elements."""
        return self.start.sort.result or self.start.sort

    def initial(self, index: Terms) -> Term:
        return k.app(self.start, *index) if self.rank else self.start


def unknown_content(tools: SearchTools, base: str, dims: tuple[Term | None, ...], sort: Sort) -> Content:
    """Make contents of which only the name is known."""
    return Content(tools.names.contents(base, k.fun_sort((INT,) * len(dims), sort) if dims else sort), dims)


def unknown_contents(tools: SearchTools, contents: dict[str, Content]) -> dict[str, Content]:
    """Replace the contents of all arrays by unknown ones."""
    return {base: unknown_content(tools, base, c.dims, c.sort) for base, c in contents.items()}


@dataclass
class World:
    """A point of a symbolic execution: what is known, the values of variables, the contents of arrays, the accesses so far."""

    facts: Facts
    env: dict[Term, Term]
    contents: dict[str, Content]
    touched: tuple[tuple[str, Terms], ...] = ()  # cells that were accessed on every path to here
    reads: tuple[Cells, ...] = ()  # all cells that were read so far, on any path
    outer: frozenset[str] = frozenset()  # bases from outside the loop that is explored

    def copy(self) -> World:
        return World(self.facts, dict(self.env), dict(self.contents), self.touched, self.reads, self.outer)

    def value(self, t: Term) -> Term:
        return k.substitute(t, self.env)

    def values(self, ts: Sequence[Term]) -> Terms:
        return tuple(self.value(t) for t in ts)

    def tile(self, view: kc.TileView) -> kc.TileView:
        return kc.TileView(view.base, self.values(view.lead), self.value(view.row), self.value(view.col))

    def index(self, address: kc.CellAddress) -> Terms:
        return tuple(self.facts.simplify(self.value(t)) for t in address.index)

    def content(self, base: str) -> Content:
        content = self.contents.get(base)
        if content is None:
            raise Unexplorable(Obstacle.NO_MEMORY, base)
        return content


@dataclass
class Unexplorable(Exception):
    """The effect of a loop cannot be inferred: why, and because of which array."""

    obstacle: Obstacle
    base: str = ""


@dataclass
class SharedCells(Exception):
    """Iterations of a thread loop access one cell, and one of them writes it: the array, and the instruction that does."""

    base: str
    at: int


class Memory:
    """Reads and writes of symbolic memory."""

    def __init__(self, tools: SearchTools) -> None:
        self.tools = tools

    @scoped
    def read(self, content: Content, index: Terms, facts: Facts) -> Term:
        """Compute the value of a cell: of the latest update that surely has it, after those that may have it."""
        possible: list[tuple[Term, Term]] = []
        result: Term | None = None
        for u in reversed(content.updates):
            member = u.member(self.tools, index, facts)
            if member is None:
                result = self.tools.opaque(u.value.sort)
                break
            condition, value = facts.simplify(member[0]), member[1]
            if condition is TRUE or self.tools.proves(facts, condition):
                result = value
                break
            if condition is not k.FALSE and not self.tools.proves(facts, k.not_(condition)):
                possible.append((condition, value))
        if result is None:
            result = content.initial(index)
        for condition, value in reversed(possible):
            result = k.ite(condition, value, result)
        return facts.simplify(result) if index else result  # as the rule for loads

    def write(self, base: str, u: Update, w: World) -> None:
        """Append an update; drop earlier ones that it hides."""
        content = w.content(base)
        visible = [old for old in content.updates if not self._hides(u, old, w.facts)]
        w.contents[base] = replace(content, updates=(*visible, u))

    @scoped
    def _hides(self, new: Update, old: Update, facts: Facts) -> bool:
        if new.cells == old.cells:
            return True
        b = self.tools.temporaries(old.cells.arity)
        inside = facts.assume(old.cells.domain(b))
        member = new.member(self.tools, old.cells.at(b), inside)
        return member is not None and self.tools.proves(inside, member[0])

    @scoped
    def resolve(
        self, t: Term, entry: dict[Term, tuple[str, Content]], contents: dict[str, Content], facts: Facts
    ) -> Term:
        """Replace the names of entry contents by what the contents are."""
        if not (t.free & entry.keys()):
            return t
        scalars = {s: self.read(contents[b], (), facts) for s, (b, c) in entry.items() if c.rank == 0}
        functions: dict[Term, Term] = {}
        for start, (base, c) in entry.items():
            if c.rank and start in t.free:
                xs = self.tools.temporaries(c.rank, "x")
                functions[start] = k.lam(xs, self.read(contents[base], xs, facts))
        return facts.simplify(k.substitute(t, {**scalars, **functions}))
