"""The part of an array that the reads inside a loop touch together: a tile with its halo, or the window of a convolution."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from itertools import pairwise

from optigpu.light_dataclass import dataclass, replace
from optigpu.syntax.exprs import Binary, Expr, Index, Var
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.polynomials import Polynomial, constant_polynomial, polynomial_of
from optigpu.syntax.program import For, If, Stmt, Store
from optigpu.syntax.walk import code_exprs, inner_bodies, map_bodies, map_stmt_exprs, rewrite, root_name, subexpressions
from optigpu.transform.tools.counted_loops import counted, is_plain
from optigpu.transform.tools.refusal import refuse
from optigpu.transform.tools.simplified import (
    cell,
    collect_terms,
    conjunction,
    from_polynomial,
    less,
    lit,
    minus,
    plus,
    polynomial,
    up_to,
    value_of,
)


@dataclass(frozen=True, slots=True)
class Side:
    """One dimension of a region: the indices `first`, `first + 1`, … of the array, `size` of them.

    `loop` is the name of the index that counts them; there is none if the index does not move, so that the copy needs no dimension.
    """

    loop: str | None
    first: Expr
    size: Expr

    @property
    def index(self) -> Expr:
        """The index in the array for the index of the loop."""
        return self.first if self.loop is None else collect_terms(plus(self.first, Var(self.loop)))


@dataclass(frozen=True, slots=True)
class HaloRegion:
    array: str
    sides: tuple[Side, ...]
    guarded: bool  # is a read under a condition? Then cells of the region may be outside the array

    @property
    def sizes(self) -> tuple[Expr, ...]:
        return tuple(side.size for side in self.sides if side.loop is not None)

    def copy(self, into: str, dims: Sequence[Expr], around: dict[str, Expr], outside: Expr | None = None) -> Stmt:
        """Loops that fill `into` with the region. If it is guarded, cells outside an array of sizes `dims` are left out, or hold
        `outside`. `around`: the bounds of the loops from 0 around it, whose indices need no test against 0 or their bound."""
        loops = [side.loop for side in self.sides if side.loop is not None]
        inside = [Var(name) for name in loops]
        tests: list[Expr] = []
        for side, dim in zip(self.sides, dims):
            if not _is_nonnegative(side.index, {*around, *loops}):
                tests.append(Binary("<=", lit(0), side.index))
            if not (isinstance(side.index, Var) and around.get(side.index.name) == dim):
                tests.append(less(side.index, dim))
        out: Stmt = Store(cell(into, inside), cell(self.array, [side.index for side in self.sides]))
        if self.guarded and tests:
            other = () if outside is None else (Store(cell(into, inside), outside),)
            out = If(conjunction(tests), (out,), other)
        for side in reversed(self.sides):
            if side.loop is not None:
                out = up_to(side.loop, side.size, (out,))
        return out

    def reading(self, s: Stmt, name: str) -> Stmt:
        """The statement with the copy `name` read instead of the array."""

        def from_copy(x: Expr) -> Expr:
            if not (isinstance(x, Index) and x.base == Var(self.array)):
                return x
            offsets = (
                collect_terms(minus(e, side.first)) for e, side in zip(x.indices, self.sides) if side.loop is not None
            )
            return replace(x, base=Var(name), indices=tuple(offsets))

        changed = map_stmt_exprs(s, lambda e: rewrite(e, from_copy))
        changed = map_bodies(changed, lambda b: tuple(self.reading(y, name) for y in b))
        if isinstance(s, For) and isinstance(changed, For):
            return replace(changed, contract=s.contract)  # it may still speak of the array, which has not changed
        return changed


@dataclass
class _Reads:
    """The loops in a nest, and the indices with which it reads an array."""

    array: str
    loops: dict[str, For] = field(default_factory=dict)
    indices: dict[tuple[Expr, ...], None] = field(default_factory=dict)
    guarded: bool = False

    def collect(self, s: Stmt, guarded: bool) -> None:
        if isinstance(s, For):
            if not is_plain(s) or (s.index in self.loops and self.loops[s.index].range != s.range):
                raise refuse(f"let the loop over `{s.index}` count up from 0 by one", s, "s.loop.shift_range")
            self.loops[s.index] = s
        if isinstance(s, Store) and root_name(s.target) == self.array:
            raise refuse(f"`{self.array}` is written here", s)
        for e in code_exprs(s):
            for x in subexpressions(e):
                if isinstance(x, Index) and x.base == Var(self.array):
                    self.indices[x.indices] = None
                    self.guarded = self.guarded or guarded
        for body in inner_bodies(s):
            for y in body:
                self.collect(y, guarded or isinstance(s, If))


def halo_region(nest: For, array: str, fresh: Callable[[str], str]) -> HaloRegion:
    """The region that a nest reads of an array: in each dimension, indices that move with any number of its loops.

    `fresh` makes names for the indices of the copy, where that of a loop of the nest is in use.
    """
    reads = _Reads(array)
    reads.collect(nest, False)
    if not reads.indices:
        raise refuse(f"`{array}` is not read inside this loop", nest, code="OG601")
    if len({len(r) for r in reads.indices}) != 1:
        raise refuse(f"`{array}` is also read as a whole row", nest)
    sides: list[Side] = []
    for d, indices in enumerate(zip(*reads.indices)):
        side = _side(nest, array, indices, reads.loops)
        taken = {x.loop for x in sides}
        if side.loop is not None and (side.loop in taken or side.loop not in reads.loops):
            side = replace(side, loop=fresh(f"i{d}"))
        sides.append(side)
    if all(side.loop is None for side in sides):
        raise refuse(
            f"the reads of `{array}` do not move with the loops in here", nest, "stage it at a loop around this one"
        )
    return HaloRegion(array, tuple(sides), reads.guarded)


@dataclass(frozen=True, slots=True)
class _Interval:
    """The values of one index in a nest: from `base + low` to `base + high`, where `base` has no constant term."""

    base: Polynomial
    low: Polynomial
    high: Polynomial
    moving: frozenset[str]


def overlapping(nest: For, array: str) -> bool:
    """Does an index move with several loops of the nest so that it may have one value twice, as in a window: `i + u`?"""
    reads = _Reads(array)
    reads.collect(nest, False)
    return any(not _is_injective(e, reads.loops) for indices in reads.indices for e in indices)


def _is_injective(e: Expr, loops: dict[str, For]) -> bool:
    """Is an index, as a function of the loops that it moves with, a number in mixed radix: `8 * t + i` for i < 8?"""
    factors: list[tuple[int, int]] = []
    moving = free_vars(e) & {*loops}
    for m, c in polynomial(e).terms:
        inside = [f for f in m if free_vars(f) & moving]
        if inside:
            count = value_of(counted(loops[inside[0].name]).count) if isinstance(inside[0], Var) else None
            if len(moving) > 1 and len(m) > 1:
                return False
            factors.append((abs(c), 0 if count is None else count))
    factors.sort()
    return len(moving) < 2 or all(
        small * count <= large and count > 0 for (small, count), (large, _) in pairwise(factors)
    )


def _side(nest: For, array: str, indices: Sequence[Expr], loops: dict[str, For]) -> Side:
    """One dimension of a region, from the index of each read in that dimension."""
    intervals = [_interval(nest, array, e, loops) for e in indices]
    base = intervals[0].base
    lows = [(x.low - intervals[0].low).constant for x in intervals]
    highs = [(x.high - intervals[0].high).constant for x in intervals]
    if any(x.base != base for x in intervals) or None in lows or None in highs:
        raise refuse(f"the reads of `{array}` are not at constant distances from each other", nest)
    low = intervals[0].low + constant_polynomial(min(x for x in lows if x is not None))
    high = intervals[0].high + constant_polynomial(max(x for x in highs if x is not None))
    size = from_polynomial(high - low + constant_polynomial(1))
    first = from_polynomial(base + low)
    moving = [name for name in loops if any(name in x.moving for x in intervals)]
    if not moving and size == lit(1):
        return Side(None, first, size)
    return Side(moving[0] if moving else "", first, size)


def _interval(nest: For, array: str, e: Expr, loops: dict[str, For]) -> _Interval:
    base = low = high = constant_polynomial(0)
    for m, c in polynomial(e).terms:
        inside = [f for f in m if free_vars(f) & {*loops}]
        term = polynomial_of({m: c})
        if not inside:
            base, low, high = (base + term, low, high) if m else (base, low + term, high + term)
            continue
        f = inside[0]
        count = counted(loops[f.name]).count if isinstance(f, Var) else f
        if len(inside) > 1 or free_vars(count) & {*loops}:
            raise refuse(f"an index of `{array}` is not a sum of multiples of loop indices", nest)
        factor = polynomial_of({tuple(x for x in m if x is not f): c})
        span = factor * polynomial(minus(count, lit(1)))
        low, high = (low, high + span) if c > 0 else (low + span, high)
    return _Interval(base, low, high, frozenset(free_vars(e) & {*loops}))


def _is_nonnegative(e: Expr, names: set[str]) -> bool:
    """Is this a sum or product of nonnegative numbers and names?"""
    match e:
        case Var(name):
            return name in names
        case Binary("+" | "*", left, right):
            return _is_nonnegative(left, names) and _is_nonnegative(right, names)
        case _:
            n = value_of(e)
            return n is not None and n >= 0
