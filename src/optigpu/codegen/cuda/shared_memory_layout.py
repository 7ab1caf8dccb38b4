"""Layout of shared memory: static arrays if their sizes are constant and small, else one dynamic buffer with byte offsets.

In the buffer, two arrays of constant size may overlap if they are never live together: neither is declared in the scope of the
other, and no two accesses, one to each, lie between the same two block barriers. Then a barrier orders all accesses to one
array before all accesses to the other, and no contents are read after they were overwritten.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from optigpu.codegen.cuda.barriers import names
from optigpu.codegen.cuda.lowering_scope import ArrayInfo
from optigpu.codegen.cuda.statement_lowering import is_barrier
from optigpu.codegen.cuda.tile_shapes import TILE_BYTES
from optigpu.codegen.integer_polynomials import expression, number, poly
from optigpu.codegen.value_ranges import Ranges
from optigpu.kernel.launch_rules import MOST_SHARED
from optigpu.light_dataclass import dataclass, replace
from optigpu.syntax.diagnostic import input_error
from optigpu.syntax.exprs import Binary, Expr, Int
from optigpu.syntax.polynomials import Polynomial, atom_polynomial, constant_polynomial
from optigpu.syntax.program import Block, Body, For, If, Stmt
from optigpu.syntax.source import Loc
from optigpu.syntax.types import INT
from optigpu.syntax.walk import stmt_exprs

STATIC_LIMIT = 48 * 1024  # bytes of static shared memory; more needs dynamic memory and an opt-in
VECTOR_ALIGNMENT = 16
ArrayPair = frozenset[str]  # two arrays


@dataclass(frozen=True)
class SharedLayout:
    """`offsets`: bytes, empty if all arrays are static; `total`: the bytes of dynamic shared memory at launch."""

    arrays: tuple[ArrayInfo, ...]
    offsets: tuple[Expr, ...]
    total: Expr
    aligned: Mapping[str, int]

    @property
    def dynamic(self) -> bool:
        return bool(self.offsets)

    @property
    def fits(self) -> bool:
        """False if it is known that no block has as much memory."""
        return not isinstance(self.total, Int) or self.total.value <= MOST_SHARED

    def require_fit(self, loc: Loc) -> None:
        if not self.fits:
            assert isinstance(self.total, Int)
            message = (
                f"the shared arrays of this kernel take {self.total.value} bytes, and a block has at most {MOST_SHARED}"
            )
            tiles = any(a.swizzled for a in self.arrays)
            barrier = "a barrier after the last use of an array lets another take its place"
            stages = "smaller tiles, or fewer stages of a pipelined loop"
            raise input_error("OG406", message, loc, help=stages if tiles else barrier)

    def opt_in(self, ranges: Ranges) -> bool:
        return self.dynamic and ranges.interval(self.total)[1] > STATIC_LIMIT


def bytes_of(a: ArrayInfo) -> Polynomial:
    out = constant_polynomial(a.elem.size)
    for d in a.dims:
        assert d is not None
        out = out * poly(d)
    return out


def lay_out(
    arrays: list[ArrayInfo], vectors: Mapping[str, int], in_scope: Collection[ArrayPair], body: Body
) -> SharedLayout:
    """Place the shared arrays. Each starts at a multiple of 16 bytes, so that vector accesses are aligned. `in_scope`: pairs of
    arrays of which one is declared in the scope of the other."""
    sizes = [rounded_up(bytes_of(a)) for a in arrays]
    known = [s.constant for s in sizes if s.constant is not None]
    if any(a.swizzled for a in arrays):
        return _with_tiles(arrays, vectors)
    if len(known) == len(sizes):
        if sum(known) <= STATIC_LIMIT:
            return SharedLayout(tuple(arrays), (), number(0), vectors)
        places, most = overlapping(
            [a.name for a in arrays], known, {*in_scope, *between_barriers(body, [a.name for a in arrays])}
        )
        offsets, total = [constant_polynomial(p) for p in places], constant_polynomial(most)
    else:
        offsets = [sum(sizes[:i], constant_polynomial(0)) for i in range(len(sizes))]
        total = sum(sizes, constant_polynomial(0))
    flat = tuple(replace(a, flat=True) for a in arrays)
    return SharedLayout(flat, tuple(map(expression, offsets)), expression(total), vectors)


def _with_tiles(arrays: list[ArrayInfo], vectors: Mapping[str, int]) -> SharedLayout:
    """Tiles first, each at a multiple of the bytes after which their swizzle repeats. No two arrays overlap: copies that are under
    way do not end at a barrier."""
    ordered = sorted(arrays, key=lambda a: not a.swizzled)
    offsets: list[Polynomial] = []
    end = constant_polynomial(0)
    for a in ordered:
        size = bytes_of(a)
        if a.swizzled and size.constant is not None:
            size = constant_polynomial(-(-size.constant // TILE_BYTES) * TILE_BYTES)
        offsets.append(end)
        end = end + rounded_up(size)
    placed = tuple(a if a.swizzled else replace(a, flat=True) for a in ordered)
    return SharedLayout(placed, tuple(map(expression, offsets)), expression(end), vectors)


def overlapping(names_: list[str], sizes: list[int], apart: Collection[ArrayPair]) -> tuple[list[int], int]:
    """Offsets by first fit, where pairs in `apart` may not overlap; and the total size."""
    begins: list[int] = []
    for i, name in enumerate(names_):
        others = [j for j in range(i) if frozenset((name, names_[j])) in apart]
        ends = sorted({0, *(begins[j] + sizes[j] for j in others)})
        free = (p for p in ends if all(p + sizes[i] <= begins[j] or begins[j] + sizes[j] <= p for j in others))
        begins.append(next(free))
    return begins, max((b + s for b, s in zip(begins, sizes)), default=0)


def between_barriers(body: Body, arrays: Collection[str]) -> set[ArrayPair]:
    """Pairs of arrays with an access to each and no block barrier in between."""
    pairs: set[ArrayPair] = set()

    def use(s: Stmt, since: set[str]) -> set[str]:
        """Record the arrays of the statement together with those used since the last barrier."""
        own = {n for e in stmt_exprs(s) for n in names(e) if n in arrays}
        pairs.update(frozenset((a, b)) for a in own for b in own | since)
        return since | own

    def walk(b: Body, since: set[str]) -> set[str]:
        for s in b:
            since = set() if is_barrier(s) else use(s, since)
            match s:
                case Block(inner):
                    since = walk(inner, since)
                case If(_, then, other):
                    since = walk(then, since) | walk(other, since)
                case For(_, _, inner):
                    for _ in range(2):  # uses in one iteration meet the next iteration and the loop's bound
                        since = since | use(s, walk(inner, since))
                case _:
                    pass
        return since

    walk(body, set())
    return pairs


def rounded_up(size: Polynomial) -> Polynomial:
    if size.constant is not None:
        return constant_polynomial(-(-size.constant // VECTOR_ALIGNMENT) * VECTOR_ALIGNMENT)
    if all(c % VECTOR_ALIGNMENT == 0 for _, c in size.terms):
        return size
    up = Binary("/", expression(size + constant_polynomial(VECTOR_ALIGNMENT - 1)), number(VECTOR_ALIGNMENT), type=INT)
    return atom_polynomial(up).scaled(VECTOR_ALIGNMENT)
