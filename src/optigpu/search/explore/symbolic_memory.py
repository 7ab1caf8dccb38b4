"""Symbolic memory: each array is a function from indices to values, with a log of updates on top. No permissions.

After `a[i] = 1; a[j] = 2;` the contents of a are its start with the updates [{i}: 1, {j}: 2]; reading a[k] gives
`k == j ? 2 : k == i ? 1 : start(k)`, simplified by what is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from optigpu.kernel import instructions as kc
from optigpu.logic import terms as k
from optigpu.logic.cells import Cells, Terms, same, single
from optigpu.logic.facts import Facts
from optigpu.logic.terms import INT, TRUE, Sort, Term, instantiate
from optigpu.search.search_tools import SearchTools

OPAQUE = "@opaque."  # what values are called of which nothing is known


@dataclass(frozen=True, slots=True)
class Update:
    """New contents of some cells: `value` is under the binders of `cells`."""

    cells: Cells
    value: Term
    at: int = field(default=0, compare=False)  # the instruction that makes it
    written: bool = True  # False: the cells count as uninitialised
    init: Term = TRUE  # which of them count as initialised, under the binders
    perhaps: bool = False  # made or not: cells that were initialised still are

    def member(self, tools: SearchTools, index: Terms, facts: Facts) -> tuple[Term, Term] | None:
        """(is this one of the cells, its value), or None if that cannot be told."""
        at = tools.invert(self.cells, index, facts)
        if at is None:
            return None
        return k.and_(self.cells.domain(at), same(self.cells.at(at), index)), instantiate(self.value, at)


@dataclass(frozen=True, slots=True)
class Content:
    """What a base holds: what it held (a function of the index) and the updates since."""

    start: Term
    rank: int
    updates: tuple[Update, ...] = ()

    def initial(self, index: Terms) -> Term:
        return k.app(self.start, *index) if self.rank else self.start


def unknown_content(tools: SearchTools, base: str, rank: int, sort: Sort) -> Content:
    return Content(tools.names.contents(base, k.fun_sort((INT,) * rank, sort) if rank else sort), rank)


@dataclass
class World:
    """A point of an exploration."""

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

    def index(self, place: kc.CellAddress) -> Terms:
        return tuple(self.facts.simplify(self.value(t)) for t in place.index)


def is_opaque(t: Term) -> bool:
    return t.op == "var" and str(t.data).startswith(OPAQUE)


def is_said(condition: Term) -> bool:
    """Can a proof say it, or does it depend on values of which nothing is known?"""
    return not any(is_opaque(x) for x in condition.free)


class Unexplorable(Exception):
    """The loop cannot be summarised: why, and about which base."""

    def __init__(self, why: str, base: str = "", at: int = 0) -> None:
        super().__init__(why)
        self.why, self.base, self.at = why, base, at


class Memory:
    """Reads and writes of symbolic memory; branches that are joined again."""

    def __init__(self, tools: SearchTools) -> None:
        self.tools = tools

    def read(self, content: Content, index: Terms, facts: Facts) -> Term:
        chain: list[tuple[Term, Term]] = []
        result: Term | None = None
        for u in reversed(content.updates):
            found = u.member(self.tools, index, facts)
            if found is None:
                result = self.tools.opaque(u.value.sort)
                break
            condition, value = facts.simplify(found[0]), found[1]
            if condition is TRUE or self.tools.proves(facts, condition):
                result = value
                break
            if condition is not k.FALSE and not self.tools.proves(facts, k.not_(condition)):
                chain.append((condition, value))
        if result is None:
            result = content.initial(index)
        for condition, value in reversed(chain):
            result = k.ite(condition, value, result)
        return facts.simplify(result)

    def content(self, base: str, w: World) -> Content:
        found = w.contents.get(base)
        if found is None:
            raise Unexplorable("no memory", base)
        return found

    def sort_of(self, base: str, w: World) -> Sort:
        start = self.content(base, w).start
        return start.sort.result or start.sort

    def write(self, base: str, u: Update, w: World) -> None:
        """Later updates hide earlier ones of the same cells."""
        content = self.content(base, w)
        kept = [old for old in content.updates if not self.hides(u, old, w.facts)]
        w.contents[base] = replace(content, updates=(*kept, u))

    def hides(self, new: Update, old: Update, facts: Facts) -> bool:
        if new.cells == old.cells:
            return True
        b = self.tools.temporaries(old.cells.arity)
        inside = facts.assume(old.cells.domain(b))
        found = new.member(self.tools, old.cells.at(b), inside)
        return found is not None and self.tools.proves(inside, found[0])

    def resolve(
        self, t: Term, entry: dict[Term, tuple[str, Content]], contents: dict[str, Content], facts: Facts
    ) -> Term:
        """Replace the names of entry contents by what the contents are."""
        if not (t.free & entry.keys()):
            return t
        scalars = {s: self.read(contents[b], (), facts) for s, (b, c) in entry.items() if c.rank == 0}
        lambdas: dict[Term, Term] = {}
        for start, (base, c) in entry.items():
            if c.rank and start in t.free:
                xs = self.tools.temporaries(c.rank, "x")
                lambdas[start] = k.lam(xs, self.read(contents[base], xs, facts))
        return facts.simplify(k.substitute(t, {**scalars, **lambdas}))

    # Branches

    def joined(
        self, base: str, before: Content, test: Term, yes: World, no: World, touched: tuple[tuple[str, Terms], ...]
    ) -> Content:
        a, b = yes.contents[base], no.contents[base]
        if a.updates == b.updates:
            return a
        if before.rank == 0:
            value = k.ite(test, self.read(a, (), yes.facts), self.read(b, (), no.facts))
            return replace(before, updates=(Update(single(base, ()), value),))
        kept = [u for u in before.updates if u in a.updates and u in b.updates]
        new: list[Update] = []
        held = {index for name, index in touched if name == base}
        a, b = self.renamed(a, b, held, yes.facts), self.renamed(b, a, held, no.facts)
        for mine, other, condition in ((a, b, test), (b, a, k.not_(test))):
            for u in mine.updates:
                if u in kept:
                    continue
                twin = next((t for t in other.updates if t.cells == u.cells and t not in kept), None)
                if twin is not None:
                    merged = Update(
                        u.cells,
                        k.ite(test, u.value, twin.value) if condition is test else k.ite(test, twin.value, u.value),
                    )
                    if merged not in new:
                        new.append(merged)
                elif u.cells.arity == 0 and u.cells.index in held:  # a cell that the other branch leaves as it was
                    old = self.read(before, u.cells.index, yes.facts if condition is test else no.facts)
                    new.append(Update(u.cells, k.ite(condition, u.value, old), u.at))
                elif not is_said(condition):
                    new.append(self.perhaps(u, before, condition, yes.facts if condition is test else no.facts))
                else:
                    where = k.and_(u.cells.where, k.shift(condition, u.cells.arity))
                    new.append(replace(u, cells=replace(u.cells, where=where)))
        return replace(before, updates=(*kept, *new))

    def perhaps(self, u: Update, before: Content, condition: Term, facts: Facts) -> Update:
        """An update that is made or not, and nobody can say where: its cells are taken in any case."""
        b = self.tools.temporaries(u.cells.arity)
        old = self.read(before, u.cells.at(b), facts.assume(u.cells.domain(b)))
        return replace(u, value=k.abstract(k.ite(condition, instantiate(u.value, b), old), b), perhaps=True)

    def renamed(self, mine: Content, other: Content, held: set[Terms], facts: Facts) -> Content:
        """Cells that an equation of the branch has given another name (a[5] for a[i]), under the name they have outside of it."""
        names = held | {u.cells.index for u in other.updates if u.cells.arity == 0}
        known = {tuple(facts.simplify(t) for t in index): index for index in sorted(names, key=_index_key)}
        updates = tuple(
            replace(u, cells=single(u.cells.base, known.get(u.cells.index, u.cells.index)))
            if u.cells.arity == 0 and u.cells.where is TRUE
            else u
            for u in mine.updates
        )
        return replace(mine, updates=updates)


def _index_key(index: Terms) -> tuple[int, ...]:
    return tuple(t.key for t in index)
