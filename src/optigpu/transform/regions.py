"""The part of an array that several reads inside a loop touch together: a tile with its halo."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from optigpu.syntax.exprs import Binary, Expr, Index, Var
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.program import For, If, Stmt, Store
from optigpu.syntax.walk import inner_bodies, map_bodies, map_stmt_exprs, rewrite, root_name, stmt_exprs, subexpressions
from optigpu.transform.loop_nests import counted, is_plain, refuse
from optigpu.transform.simplified import cell, gather, less, lit, minus, plus, up_to, value_of


@dataclass(frozen=True, slots=True)
class Side:
    """One dimension: indices `start + index + k` for the iterations of a loop and `k` from 0 to `halo`."""

    loop: For
    start: Expr
    low: int
    halo: int

    @property
    def size(self) -> Expr:
        return plus(counted(self.loop).count, lit(self.halo))

    @property
    def at(self) -> Expr:
        return gather(plus(plus(self.start, Var(self.loop.index)), lit(self.low)))


@dataclass(frozen=True, slots=True)
class Region:
    array: str
    sides: tuple[Side, ...]
    guarded: bool  # is a read under a condition? Then the rest of the region may be outside the array

    @property
    def sizes(self) -> tuple[Expr, ...]:
        return tuple(side.size for side in self.sides)

    def copy(self, into: str, dims: Sequence[Expr], nonnegative: set[str]) -> Stmt:
        """Fill `into` with the region; what is outside the array is left out."""
        inside = [Var(side.loop.index) for side in self.sides]
        tests: list[Expr] = []
        for side, dim in zip(self.sides, dims):
            if not _is_nonnegative(side.at, nonnegative | {side.loop.index}):
                tests.append(Binary("<=", lit(0), side.at))
            tests.append(less(side.at, dim))
        out: Stmt = Store(cell(into, inside), cell(self.array, [side.at for side in self.sides]))
        if self.guarded:
            test = tests[0]
            for t in tests[1:]:
                test = Binary("&&", test, t)
            out = If(test, (out,))
        for side in reversed(self.sides):
            out = up_to(side.loop.index, side.size, (out,))
        return out

    def reading(self, s: Stmt, name: str) -> Stmt:
        """The statement with `name` read in the place of the array."""

        def one(x: Expr) -> Expr:
            if not (isinstance(x, Index) and x.base == Var(self.array)):
                return x
            offsets = (gather(minus(minus(e, side.start), lit(side.low))) for e, side in zip(x.indices, self.sides))
            return replace(x, base=Var(name), indices=tuple(offsets))

        changed = map_stmt_exprs(s, lambda e: rewrite(e, one))
        changed = map_bodies(changed, lambda b: tuple(self.reading(y, name) for y in b))
        return replace(changed, contract=()) if isinstance(changed, For) else changed


def region(nest: For, array: str) -> Region:
    """What is read of an array in a loop, if in each dimension one loop moves along it and the rest are constants."""
    loops: dict[str, For] = {}
    reads: dict[tuple[Expr, ...], None] = {}
    guarded = False

    def walk(s: Stmt, under: bool) -> None:
        nonlocal guarded
        if isinstance(s, For):
            if not is_plain(s) or (s.index in loops and loops[s.index].range != s.range):
                raise refuse(f"let the loop over `{s.index}` count up from 0 by one", s, "s.loop.shift_range")
            loops[s.index] = s
        if isinstance(s, Store) and root_name(s.target) == array:
            raise refuse(f"`{array}` is written here", s)
        for e in stmt_exprs(s):
            for x in subexpressions(e):
                if isinstance(x, Index) and x.base == Var(array):
                    reads[x.indices] = None
                    guarded = guarded or under
        for body in inner_bodies(s):
            for y in body:
                walk(y, under or isinstance(s, If))

    walk(nest, False)
    if not reads:
        raise refuse(f"`{array}` is not read inside this loop", nest, code="OG601")
    if len({len(r) for r in reads}) != 1:
        raise refuse(f"`{array}` is also read as a whole row", nest)
    columns = list(zip(*reads))
    sides = tuple(_side(nest, array, column, loops) for column in columns)
    if len({side.loop.index for side in sides}) != len(sides):
        raise refuse(f"two dimensions of `{array}` move with the same loop", nest)
    return Region(array, sides, guarded)


def _side(nest: For, array: str, indices: Sequence[Expr], loops: dict[str, For]) -> Side:
    moving = {v for e in indices for v in free_vars(e) & {*loops}}
    if len(moving) != 1:
        raise refuse(f"an index of `{array}` moves with {len(moving)} loops: {', '.join(sorted(moving))}", nest)
    loop = loops[moving.pop()]
    first = minus(indices[0], Var(loop.index))
    distances = [value_of(gather(minus(e, indices[0]))) for e in indices]
    start = gather(first)
    if None in distances or free_vars(start) & {*loops}:
        raise refuse(f"the reads of `{array}` are not at constant distances from `{loop.index}`", nest)
    known = [d for d in distances if d is not None]
    constant = value_of(gather(minus(start, _without_constant(start)))) or 0
    return Side(loop, _without_constant(start), constant + min(known), max(known) - min(known))


def _without_constant(e: Expr) -> Expr:
    """A gathered sum without its constant term."""
    match e:
        case Binary("+" | "-", left, right) if value_of(right) is not None:
            return left
        case _:
            return lit(0) if value_of(e) is not None else e


def _is_nonnegative(e: Expr, names: set[str]) -> bool:
    match e:
        case Var(name):
            return name in names
        case Binary("+" | "*", left, right):
            return _is_nonnegative(left, names) and _is_nonnegative(right, names)
        case _:
            n = value_of(e)
            return n is not None and n >= 0
