"""C's integer types: promotion, common types, and which values fit."""

from __future__ import annotations

from optigpu.codegen.value_ranges import Ranges
from optigpu.syntax.exprs import Binary, Cast, Expr, Type, Unary, is_int
from optigpu.syntax.operators import WRAPPING
from optigpu.syntax.program import For, Mode
from optigpu.syntax.types import INT, INT64, Kind, Scalar

INT128 = Scalar(
    "__int128", Kind.INT, 128
)  # of GCC, Clang, nvcc and NVRTC: the last resort, for what may not fit 64 bits


def counts_in(s: For, t: Scalar, ranges: Ranges) -> bool:
    """Whether a loop index fits type t from its first value to the value that ends the loop. In every iteration it is proved to fit
    its own type, whatever the bound is."""
    r, own = s.range, s.index_type
    (first, last), (least, greatest), (_, most) = (ranges.interval(e) for e in (r.start, r.bound, r.amount))
    step = max(most, 1)
    match r.op:
        case "+":
            greatest = min(greatest, own.high + step)
            last = max(last, min(greatest - (r.relation == "<"), own.high) + most)
        case "-":
            least = max(least, own.low - step)
            first = min(first, max(least + (r.relation == ">"), own.low) - most)
        case "*":
            last = max(last, min(greatest - (r.relation == "<"), own.high) * step)
        case "<<":
            last = max(last, max(min(greatest - (r.relation == "<"), own.high), 0) << min(max(most, 0), 2 * INT64.bits))
        case _:  # `/` and `>>` move towards 0
            first = min(first, 0)
    if s.mode is Mode.PARALLEL:  # OpenMP may compute the trip count in the type of the index
        up = r.relation.startswith("<")
        last = max(last, (greatest - first if up else last - least) + r.relation.endswith("="))
    return t.low <= first and last <= t.high


def is_signed(e: Expr) -> bool:
    return isinstance(e.type, Scalar) and is_int(e.type) and e.type.signed


def promoted(t: Type | None) -> Scalar:
    """C's integer promotion: types below 32 bits become `int`."""
    return t if isinstance(t, Scalar) and is_int(t) and t.bits >= INT.bits else INT


def computed_bits(e: Expr) -> int:
    """The widest type, in bits, of the operations in a nest of sums and products; it limits the shift amounts."""
    e = without_implicit(e)
    parts = (
        []
        if not is_ring(e)
        else [e.arg]
        if isinstance(e, Unary)
        else [e.left, e.right]
        if isinstance(e, Binary)
        else []
    )
    return max([promoted(e.type).bits if parts else 0, *map(computed_bits, parts)])


def common_type(a: Scalar, b: Scalar) -> Scalar:
    """C's usual arithmetic conversion of two promoted types."""
    if a.bits != b.bits:
        return a if a.bits > b.bits else b
    return a if not a.signed else b


def contains(t: Scalar, part: Scalar) -> bool:
    """Whether a type holds all values of another."""
    return t.low <= part.low and part.high <= t.high


def is_ring(e: Expr) -> bool:
    """Whether the operation commutes with reduction modulo 2^bits: `+ - * <<` and unary `-`."""
    return is_int(e.type) and ((isinstance(e, Binary) and e.op in WRAPPING) or (isinstance(e, Unary) and e.op == "-"))


def without_implicit(e: Expr) -> Expr:
    while isinstance(e, Cast) and e.implicit and is_int(e.to) and is_int(e.arg.type):
        e = e.arg
    return e
