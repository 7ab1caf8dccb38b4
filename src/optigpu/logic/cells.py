"""Cell families: sets of memory cells with their contents.

A set of cells is { base[index(b)] | b in its ranges, where(b) }. Ranges, condition, index and value are terms under the binders b
(de Bruijn indices: the last binder is index 0), so two sets that are written alike are equal, and nothing is captured.

Every family that a state holds with full share is injective: different b give different cells.
"""

from __future__ import annotations

from optigpu.light_dataclass import replace
from optigpu.logic import terms as k
from optigpu.logic.records import record
from optigpu.logic.terms import FALSE, INT, TRUE, ZERO, Sort, Term, instantiate, instantiate_all, remembered

# Shares of a family: it may be written, only be read, or only be read by the body of a sequential loop whose group may write it.
FULL, READ, LENT = "full", "read", "lent"
# Shares in which many threads change cells by one atomic operator, and nobody reads or writes them: the names of the operators.
ADDING = "atomicAdd"
ACCUMULATING = (ADDING, "atomicMin", "atomicMax", "atomicAnd", "atomicOr", "atomicXor")
Terms = tuple[Term, ...]
REMEMBERED = 20_000


def arguments(n: int) -> Terms:
    """The variables of n binders, outermost first."""
    return tuple(k.bound(n - 1 - i, INT) for i in range(n))


def same(xs: Terms, ys: Terms) -> Term:
    """Are these equally many terms, and equal one by one?"""
    return k.and_(*(k.eq(x, y) for x, y in zip(xs, ys))) if len(xs) == len(ys) else FALSE


@record
class Cells:
    """A set of cells of one base."""

    base: str
    ranges: tuple[tuple[Term, Term], ...]  # (low, high) of each binder, under the binders before it
    where: Term  # under all binders
    index: Terms

    @property
    def arity(self) -> int:
        return len(self.ranges)

    def domain(self, args: Terms) -> Term:
        """Is there a cell for these values of the binders?"""
        parts = [instantiate(self.where, args)]
        for i, ((low, high), x) in enumerate(zip(self.ranges, args, strict=True)):
            parts.append(_is_between(low, high, args[:i], x))
        return k.and_(*parts)

    def at(self, args: Terms) -> Terms:
        """The index of the cell for these values of the binders."""
        return instantiate_all(self.index, args)

    def under(self, outer: Terms) -> Cells:
        """The cells for these values of the first binders; the others stay binders."""
        levels = [(*(k.shift(x, i) for x in outer), *arguments(i)) for i in range(self.arity - len(outer) + 1)]
        rest = zip(self.ranges[len(outer) :], levels)
        ranges = tuple((instantiate(lo, args), instantiate(hi, args)) for (lo, hi), args in rest)
        return Cells(self.base, ranges, instantiate(self.where, levels[-1]), self.at(levels[-1]))

    def substitute(self, sub: dict[Term, Term]) -> Cells:
        ranges = tuple((k.substitute(lo, sub), k.substitute(hi, sub)) for lo, hi in self.ranges)
        return Cells(self.base, ranges, k.substitute(self.where, sub), tuple(k.substitute(e, sub) for e in self.index))


@remembered(REMEMBERED)
def _is_between(low: Term, high: Term, outer: Terms, x: Term) -> Term:
    """low <= x < high, for ends that are under outer binders."""
    return k.and_(k.le(instantiate(low, outer), x), k.lt(x, instantiate(high, outer)))


def single(base: str, index: Terms) -> Cells:
    """One cell."""
    return Cells(base, (), TRUE, index)


def box(base: str, dims: Terms) -> Cells:
    """All cells of an array with these (closed) sizes."""
    return Cells(base, tuple((ZERO, d) for d in dims), TRUE, arguments(len(dims)))


@record
class Owner:
    """The threads that may access cells: start .. start + size, counted in the current group. Terms under the family's binders."""

    start: Term
    size: Term

    def at(self, args: Terms) -> Owner:
        return Owner(instantiate(self.start, args), instantiate(self.size, args))

    def moved(self, by: Term) -> Owner:
        """The same threads in a group that begins `by` threads earlier."""
        return Owner(k.add(self.start, by), self.size)

    def over(self, v: Term, n: int) -> Owner:
        """With the variable v as a further binder, outside of the n binders of the family."""
        return Owner(outermost(self.start, v, n), outermost(self.size, v, n))

    def contains(self, other: Owner) -> Term:
        """Are all threads of the other owner among these?"""
        return k.and_(k.le(self.start, other.start), k.le(k.add(other.start, other.size), k.add(self.start, self.size)))


@record
class CellFamily:
    """Cells with their contents: `init` says which have been written, and `value` is what those hold."""

    cells: Cells
    value: Term  # under the binders
    init: Term  # under the binders
    share: str = FULL
    owner: Owner | None = None  # None: any thread of the current group

    def value_at(self, args: Terms) -> Term:
        return instantiate(self.value, args)

    def init_at(self, args: Terms) -> Term:
        return instantiate(self.init, args)

    def updated(self, member: Term, value: Term, init: Term) -> CellFamily:
        """The family with new contents where `member` holds; all terms are under the binders."""
        return replace(self, value=k.ite(member, value, self.value), init=k.ite(member, init, self.init))

    def without(self, member: Term) -> CellFamily:
        """The family without the cells for which `member` (under the binders) holds."""
        return replace(self, cells=replace(self.cells, where=k.and_(self.cells.where, k.not_(member))))


def outermost(t: Term, v: Term, n: int) -> Term:
    """A term under n binders, with the variable v as a further binder outside of them."""
    return _abstracted(t, v, (*arguments(n), k.bound(n, INT)))


@remembered(REMEMBERED)
def _abstracted(t: Term, v: Term, binders: Terms) -> Term:
    """A term as a function of v, at these binders."""
    return instantiate(k.abstract(t, (v,)), binders)


def over(cells: Cells, v: Term, low: Term, high: Term) -> Cells:
    """The cells for all v in low..high: v becomes the first binder."""
    n = cells.arity
    ranges = tuple((outermost(lo, v, i), outermost(hi, v, i)) for i, (lo, hi) in enumerate(cells.ranges))
    index = tuple(outermost(e, v, n) for e in cells.index)
    return Cells(cells.base, ((low, high), *ranges), outermost(cells.where, v, n), index)


UNINIT, SOME, KNOWN = "uninit", "some", "known"


@record
class CellClaim:
    """What a contract says of cells: they are uninitialised, hold some values, or hold `value` (under the binders).

    In a function for a group of threads, `owner` says which threads of the group may access them (None: all).
    """

    cells: Cells
    contents: str
    value: Term | None = None
    share: str = FULL
    owner: Owner | None = None

    def substitute(self, sub: dict[Term, Term]) -> CellClaim:
        value = None if self.value is None else k.substitute(self.value, sub)
        o = self.owner
        owner = None if o is None else Owner(k.substitute(o.start, sub), k.substitute(o.size, sub))
        return replace(self, cells=self.cells.substitute(sub), value=value, owner=owner)

    def family(self, counter: int, sort: Sort) -> CellFamily:
        """A family of which the claim holds. Contents that the claim does not give are unknown, named after the state's counter."""
        value = unknown(self.cells.base, counter, self.cells.arity, sort) if self.value is None else self.value
        return CellFamily(self.cells, value, FALSE if self.contents == UNINIT else TRUE, self.share, self.owner)


def unknown(base: str, counter: int, arity: int, sort: Sort) -> Term:
    """Unknown contents of a base, as a term under `arity` binders: a variable, or an unknown function applied to them, that a rule
    introduces when the state's counter is this."""
    if arity == 0:
        return k.rule_var(base, counter, sort)
    return k.app(k.rule_var(base, counter, k.fun_sort((INT,) * arity, sort)), *arguments(arity))
