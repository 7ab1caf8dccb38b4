"""Where shared arrays lie: static where their sizes are constants and small, else one dynamic buffer with byte offsets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from optigpu.codegen.cuda.arithmetic import Poly, Ranges, atom, const, expression, number, poly
from optigpu.codegen.cuda.lower import ArrayInfo
from optigpu.syntax.exprs import Binary, Expr
from optigpu.syntax.types import INT

STATIC_LIMIT = 48 * 1024  # static shared memory; more needs dynamic memory and the kernel's opt-in
VECTOR_ALIGNMENT = 16


@dataclass(frozen=True)
class SharedLayout:
    """`offsets` are in bytes and empty where all arrays are static; `total` bytes are passed at launch."""

    arrays: tuple[ArrayInfo, ...]
    offsets: tuple[Expr, ...]
    total: Expr
    aligned: Mapping[str, int]

    @property
    def dynamic(self) -> bool:
        return bool(self.offsets)

    def opt_in(self, ranges: Ranges) -> bool:
        return self.dynamic and ranges.interval(self.total)[1] > STATIC_LIMIT


def size_of(a: ArrayInfo) -> Poly:
    out = const(a.elem.size)
    for d in a.dims:
        assert d is not None
        out = out * poly(d)
    return out


def lay_out(arrays: list[ArrayInfo], vectors: Mapping[str, int]) -> SharedLayout:
    """Every array starts at a multiple of 16 bytes in the dynamic buffer, so vector accesses are aligned there too."""
    sizes = [size_of(a).constant for a in arrays]
    if all(s is not None for s in sizes) and sum(s or 0 for s in sizes) <= STATIC_LIMIT:
        return SharedLayout(tuple(arrays), (), number(0), vectors)
    offsets: list[Expr] = []
    at = const(0)
    for a in arrays:
        offsets.append(expression(at))
        at = at + rounded(size_of(a))
    return SharedLayout(tuple(replace(a, flat=True) for a in arrays), tuple(offsets), expression(at), vectors)


def rounded(size: Poly) -> Poly:
    if size.constant is not None:
        return const(-(-size.constant // VECTOR_ALIGNMENT) * VECTOR_ALIGNMENT)
    if all(c % VECTOR_ALIGNMENT == 0 for _, c in size.terms):
        return size
    up = Binary("/", expression(size + const(VECTOR_ALIGNMENT - 1)), number(VECTOR_ALIGNMENT), type=INT)
    return atom(up).scaled(VECTOR_ALIGNMENT)
