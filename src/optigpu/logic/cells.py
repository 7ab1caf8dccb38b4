"""Cell families: sets of memory cells with what they hold (DESIGN, section 5).

A set of cells is { base[index(b)] | b in its ranges, where(b) }. Ranges, condition, index and value are terms under the binders b
(de Bruijn: the last binder is index 0), so equal sets written alike are equal objects and nothing can be captured.

The invariant of every family with full share that a state holds: distinct b are distinct cells.
"""

from __future__ import annotations

from dataclasses import replace

from optigpu.logic import terms as k
from optigpu.logic.records import record
from optigpu.logic.terms import FALSE, INT, TRUE, ZERO, Sort, Term, instantiate, instantiate_all

FULL, READ = "full", "read"
LENT = "lent"  # for reading, to the body of a sequential loop of the group that holds it in full
Terms = tuple[Term, ...]


def arguments(n: int) -> Terms:
    """The n bound variables, outermost first: what a term under n binders sees."""
    return tuple(k.bound(n - 1 - i, INT) for i in range(n))


def same(xs: Terms, ys: Terms) -> Term:
    return k.and_(*(k.eq(x, y) for x, y in zip(xs, ys))) if len(xs) == len(ys) else FALSE


@record
class Cells:
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
            parts.append(k.le(instantiate(low, args[:i]), x))
            parts.append(k.lt(x, instantiate(high, args[:i])))
        return k.and_(*parts)

    def at(self, args: Terms) -> Terms:
        return instantiate_all(self.index, args)

    def under(self, outer: Terms) -> Cells:
        """Give values to the first binders; the others stay."""
        levels = [(*outer, *arguments(i)) for i in range(self.arity - len(outer) + 1)]
        rest = zip(self.ranges[len(outer) :], levels)
        ranges = tuple((instantiate(lo, args), instantiate(hi, args)) for (lo, hi), args in rest)
        return Cells(self.base, ranges, instantiate(self.where, levels[-1]), self.at(levels[-1]))

    def substitute(self, sub: dict[Term, Term]) -> Cells:
        ranges = tuple((k.substitute(lo, sub), k.substitute(hi, sub)) for lo, hi in self.ranges)
        return Cells(self.base, ranges, k.substitute(self.where, sub), tuple(k.substitute(e, sub) for e in self.index))


def single(base: str, index: Terms) -> Cells:
    return Cells(base, (), TRUE, index)


def box(base: str, dims: Terms) -> Cells:
    """All cells of an array with these (closed) sizes."""
    return Cells(base, tuple((ZERO, d) for d in dims), TRUE, arguments(len(dims)))


@record
class Owner:
    """The threads that may access cells: start .. start + size of the current group's. Terms under the family's binders."""

    start: Term
    size: Term

    def at(self, args: Terms) -> Owner:
        return Owner(instantiate(self.start, args), instantiate(self.size, args))

    def moved(self, by: Term) -> Owner:
        """The same threads, counted from `by` threads further left."""
        return Owner(k.add(self.start, by), self.size)

    def over(self, v: Term, n: int) -> Owner:
        """As terms under v, and then the n binders that they are under."""
        return Owner(outermost(self.start, v, n), outermost(self.size, v, n))

    def contains(self, other: Owner) -> Term:
        return k.and_(k.le(self.start, other.start), k.le(k.add(other.start, other.size), k.add(self.start, self.size)))


@record
class CellFamily:
    """Cells with their values, and whether they have been written: `value` means something where `init` holds."""

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
        """With new contents where `member` holds; all terms are under the binders."""
        new_init = k.or_(k.and_(member, init), k.and_(k.not_(member), self.init))
        return replace(self, value=k.ite(member, value, self.value), init=new_init)

    def without(self, member: Term) -> CellFamily:
        """Minus the cells where `member` (under the binders) holds."""
        return replace(self, cells=replace(self.cells, where=k.and_(self.cells.where, k.not_(member))))


def outermost(t: Term, v: Term, n: int) -> Term:
    """A term under n binders, with the variable v bound outside of them."""
    return instantiate(k.abstract(t, (v,)), (*arguments(n), k.bound(n, INT)))


def over(cells: Cells, v: Term, low: Term, high: Term) -> Cells:
    """The cells for all v in a range: v becomes the first binder."""
    n = cells.arity
    ranges = tuple((outermost(lo, v, i), outermost(hi, v, i)) for i, (lo, hi) in enumerate(cells.ranges))
    index = tuple(outermost(e, v, n) for e in cells.index)
    return Cells(cells.base, ((low, high), *ranges), outermost(cells.where, v, n), index)


UNINIT, SOME, KNOWN = "uninit", "some", "known"


@record
class CellClaim:
    """What a contract says of cells: their contents are uninitialised, some, or known (then `value`, under the binders).

    In a function for a group of threads, `owner` says who of the group may access them (None: everyone).
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
        """Cells of which the claim holds, when the state's counter is this. Contents it does not tell are an unknown function."""
        value = unknown(self.cells.base, counter, self.cells.arity, sort) if self.value is None else self.value
        return CellFamily(self.cells, value, FALSE if self.contents == UNINIT else TRUE, self.share, self.owner)


def unknown(base: str, counter: int, arity: int, sort: Sort) -> Term:
    """Unknown contents of a base, as a term under `arity` binders: a variable, or an unknown function applied to them, that a rule
    introduces when the state's counter is this."""
    if arity == 0:
        return k.rule_var(base, counter, sort)
    return k.app(k.rule_var(base, counter, k.fun_sort((INT,) * arity, sort)), *arguments(arity))
