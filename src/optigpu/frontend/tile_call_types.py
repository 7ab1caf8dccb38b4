"""Types of the calls about tiles and fragments: `mma(c, a, b, depth)`, `frag_row_sum(v, c)`, `tile_load(t, a, i, j)`."""

from __future__ import annotations

from optigpu.frontend.implicit_conversions import describe_type
from optigpu.syntax.builtins import ROW_REDUCTIONS, TILE_COPY, TILE_PRODUCTS
from optigpu.syntax.diagnostic import input_error
from optigpu.syntax.exprs import Addr, Array, Expr, Index, Int, Var, is_bool
from optigpu.syntax.source import Loc
from optigpu.syntax.types import FLOAT, STORED_FLOATS, TF32, Scalar, Space

FACTORS = STORED_FLOATS  # types that tensor cores multiply


def reject_wrong_tiles(name: str, arrays: list[Expr], loc: Loc) -> None:
    """The arrays of a call about tiles are fragments, tiles in shared memory, and arrays in global memory, as it needs them."""
    if name in TILE_PRODUCTS:
        total, left, right = arrays
        _require_fragment(name, total, 2)
        for factor in (left, right):
            _require_factor(name, factor)
        if _array(left).elem != _array(right).elem:
            message = f"`{name}` multiplies numbers of one type, not `{_array(left).elem.name}` by `{_array(right).elem.name}`"
            raise input_error("OG102", message, loc)
    elif name in ROW_REDUCTIONS:
        _require_fragment(name, arrays[0], 1)
        _require_fragment(name, arrays[1], 2)
    elif name == TILE_COPY:
        _require_copy(name, *arrays)


def _array(e: Expr) -> Array:
    assert isinstance(e.type, Array)
    return e.type


def _require_fragment(name: str, e: Expr, rank: int) -> None:
    """A whole fragment of floats (rank 2), or a whole vector of its rows (rank 1)."""
    t = _array(e)
    if not is_whole_fragment(e, rank) or t.elem != FLOAT:
        what = "a fragment" if rank == 2 else "a vector with an element for each row of fragments"
        sizes = "[64][128]" if rank == 2 else "[64]"
        message = f"this argument of `{name}` is {what}, not {describe_type(t)} in {t.space.value}"
        raise input_error("OG114", message, e.loc, help=f"__fragment__ float c{sizes};")


def is_whole_fragment(e: Expr, rank: int) -> bool:
    """Is it a fragment by its name, `c`, or that of a group of threads, `&c[DMINDEX1(2, w)][0][0]`?"""
    match e:
        case Var(type=Array(space=Space.FRAG, distributed=False, dims=dims)):
            return len(dims) == rank
        case Addr(Index(Var(type=Array(space=Space.FRAG, distributed=True, dims=dims)), (_, *indices))):
            return len(dims) == rank + 1 and len(indices) == rank and all(i == Int(0) for i in indices)
        case _:
            return False


def _require_factor(name: str, e: Expr) -> None:
    """A tile in shared memory, or the part of one that begins at an element, or a whole fragment."""
    t = _array(e)
    fragment = is_whole_fragment(e, 2)
    tile = t.space is Space.SMEM and not t.distributed and (isinstance(e, Addr) or len(t.dims) == 2)
    if not (fragment or tile):
        message = (
            f"a factor of `{name}` is a tile in shared memory or a fragment, not {describe_type(t)} in {t.space.value}"
        )
        raise input_error("OG114", message, e.loc, help="__shared__ bf16 a[128][64];")
    if t.elem not in FACTORS:
        types = ", ".join(f"`{f.name}`" for f in FACTORS)
        raise input_error("OG102", f"tensor cores multiply numbers of type {types}, not `{t.elem.name}`", e.loc)


def _require_copy(name: str, tile: Expr, source: Expr) -> None:
    t, a = _array(tile), _array(source)
    if t.space is not Space.SMEM or t.distributed or len(t.dims) != 2 or None in t.dims:
        message = f"`{name}` fills a matrix in shared memory, not {describe_type(t)} in {t.space.value}"
        raise input_error("OG114", message, tile.loc, help="__shared__ float t[64][64];")
    if a.space is not Space.GMEM or len(a.dims) < 2 or not isinstance(source, Var):
        message = f"`{name}` copies from a matrix in global memory, not from {describe_type(a)} in {a.space.value}"
        raise input_error(
            "OG114", message, source.loc, help=f"{name}(t, a, i, j); of an array of matrices, {name}(t, a, h, i, j)"
        )
    if is_bool(t.elem):
        raise input_error("OG102", f"`{name}` copies numbers, not `{t.elem.name}`", tile.loc)
    if not _is_copied(a.elem, t.elem):
        raise input_error(
            "OG102", f"`{name}` copies elements of one type, not `{a.elem.name}` to `{t.elem.name}`", tile.loc
        )


def _is_copied(have: Scalar, to: Scalar) -> bool:
    """Is an element copied bit by bit? Tensor cores ignore the bits of a float that TF32 does not have."""
    return have == to or (have == FLOAT and to == TF32)
