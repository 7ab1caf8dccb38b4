"""The part of an array that the reads inside a loop touch together: a tile with its halo."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from optigpu.light_dataclass import dataclass, replace
from optigpu.syntax.exprs import Binary, Expr, Index, Var
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.program import For, If, Stmt, Store
from optigpu.syntax.walk import code_exprs, inner_bodies, map_bodies, map_stmt_exprs, rewrite, root_name, subexpressions
from optigpu.transform.tools.counted_loops import counted, is_plain
from optigpu.transform.tools.refusal import refuse
from optigpu.transform.tools.simplified import cell, collect_terms, conjunction, less, lit, minus, plus, up_to, value_of


@dataclass(frozen=True, slots=True)
class Side:
    """One dimension of a region: the indices `start + i + low + k` for the indices i of a loop and k from 0 to `halo`."""

    loop: For
    start: Expr
    low: int
    halo: int

    @property
    def size(self) -> Expr:
        return plus(counted(self.loop).count, lit(self.halo))

    @property
    def index(self) -> Expr:
        """The index in the array for the index of the loop."""
        return collect_terms(plus(plus(self.start, Var(self.loop.index)), lit(self.low)))


@dataclass(frozen=True, slots=True)
class HaloRegion:
    array: str
    sides: tuple[Side, ...]
    guarded: bool  # is a read under a condition? Then cells of the region may be outside the array

    @property
    def sizes(self) -> tuple[Expr, ...]:
        return tuple(side.size for side in self.sides)

    def copy(self, into: str, dims: Sequence[Expr], nonnegative: set[str], outside: Expr | None = None) -> Stmt:
        """Loops that fill `into` with the region. If it is guarded, cells outside an array of sizes `dims` are left out, or hold
        `outside`; the names in `nonnegative` need no test against 0."""
        inside = [Var(side.loop.index) for side in self.sides]
        tests: list[Expr] = []
        for side, dim in zip(self.sides, dims):
            if not _is_nonnegative(side.index, nonnegative | {side.loop.index}):
                tests.append(Binary("<=", lit(0), side.index))
            tests.append(less(side.index, dim))
        out: Stmt = Store(cell(into, inside), cell(self.array, [side.index for side in self.sides]))
        if self.guarded:
            other = () if outside is None else (Store(cell(into, inside), outside),)
            out = If(conjunction(tests), (out,), other)
        for side in reversed(self.sides):
            out = up_to(side.loop.index, side.size, (out,))
        return out

    def reading(self, s: Stmt, name: str) -> Stmt:
        """The statement with the copy `name` read instead of the array."""

        def from_copy(x: Expr) -> Expr:
            if not (isinstance(x, Index) and x.base == Var(self.array)):
                return x
            offsets = (
                collect_terms(minus(minus(e, side.start), lit(side.low))) for e, side in zip(x.indices, self.sides)
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


def halo_region(nest: For, array: str) -> HaloRegion:
    """The region that a nest reads of an array, if each index is that of one loop plus terms that do not change in the nest."""
    reads = _Reads(array)
    reads.collect(nest, False)
    if not reads.indices:
        raise refuse(f"`{array}` is not read inside this loop", nest, code="OG601")
    if len({len(r) for r in reads.indices}) != 1:
        raise refuse(f"`{array}` is also read as a whole row", nest)
    sides = tuple(_side(nest, array, indices, reads.loops) for indices in zip(*reads.indices))
    if len({side.loop.index for side in sides}) != len(sides):
        raise refuse(f"two dimensions of `{array}` move with the same loop", nest)
    return HaloRegion(array, sides, reads.guarded)


def _side(nest: For, array: str, indices: Sequence[Expr], loops: dict[str, For]) -> Side:
    """One dimension of a region, from the index of each read in that dimension."""
    moving = {v for e in indices for v in free_vars(e) & {*loops}}
    if len(moving) != 1:
        raise refuse(f"an index of `{array}` moves with {len(moving)} loops: {', '.join(sorted(moving))}", nest)
    loop = loops[moving.pop()]
    distances = [value_of(collect_terms(minus(e, indices[0]))) for e in indices]
    start = collect_terms(minus(indices[0], Var(loop.index)))
    known = [d for d in distances if d is not None]
    if len(known) != len(distances) or free_vars(start) & {*loops}:
        raise refuse(f"the reads of `{array}` are not at constant distances from `{loop.index}`", nest)
    constant = value_of(collect_terms(minus(start, _without_constant(start)))) or 0
    return Side(loop, _without_constant(start), constant + min(known), max(known) - min(known))


def _without_constant(e: Expr) -> Expr:
    """A sum with like terms collected, without its constant term."""
    match e:
        case Binary("+" | "-", left, right) if value_of(right) is not None:
            return left
        case _:
            return lit(0) if value_of(e) is not None else e


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
