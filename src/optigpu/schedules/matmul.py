"""Matrix products in one line: what is multiplied is read from the program, and versions of the function serve all sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from optigpu.schedules.contraction_tools import start_at_zero
from optigpu.schedules.copied_contraction import copied_contraction
from optigpu.schedules.matmul_kernels import (
    FEW,
    PARTS_COPIED,
    KernelShape,
    KernelsOfThreads,
    KernelsOfTiles,
    ProductKernels,
    Version,
    tile_type,
)
from optigpu.schedules.product_reading import ProductReading, only_product, single_product
from optigpu.schedules.proposals import Proposal, Unfit
from optigpu.schedules.reading import code
from optigpu.schedules.required_names import require_positive
from optigpu.schedules.tile_contraction import tile_contraction
from optigpu.script.transformation import transformation
from optigpu.syntax.float_formats import is_stored_float
from optigpu.syntax.program import For
from optigpu.syntax.types import FLOAT
from optigpu.transform.registry import TransformSession
from optigpu.transform.tools.declared_types import array_of
from optigpu.transform.tools.refusal import refuse

PRECISIONS = ("float", "tf32x3", "tf32")
BLOCKS = 132  # of a GPU that can run at the same time, one on each multiprocessor: as many as an H200 has
DEPTH_OF_TRIANGLES = 8  # a block of a triangular matrix starts with the first chunk that is not zero


@transformation
def matmul(
    s: TransformSession,
    *,
    rows: str | None = None,
    cols: str | None = None,
    inner: str | None = None,
    left: str | None = None,
    right: str | None = None,
    out: str | None = None,
    grid: Sequence[str] | None = None,
    taps: Sequence[str] | None = None,
    total: str | None = None,
    precision: str = "float",
    tile: tuple[int, int, int] | None = None,
    each: tuple[int, int] = (8, 8),
    warp: tuple[int, int] = (64, 32),
    few: tuple[int, int, int] | bool | None = True,
    few_each: tuple[int, int] = (8, 4),
    few_warp: tuple[int, int] = (32, 32),
    blocks: int = BLOCKS,
    vector: Sequence[str] | None = None,
    versions: bool = True,
    divided: bool = False,
    parts: int = 1,
    name: str = "",
) -> None:
    """Kernels of `out[rows][cols] = f(sum over inner of left[rows][inner] * right[inner][cols])`, for matrices of any size and
    layout, and for batches of them. The arguments that name loops and arrays are read from the program where they are left out.

    Factors of `half`, `bf16` and `tf32` are multiplied by tensor cores, from tiles that the hardware copies (`tile_contraction`).
    For floats, `precision` says what multiplies: "float" the cores of floats, "tf32" tensor cores with the accuracy of TF32,
    "tf32x3" tensor cores with that of floats. `tile`: rows, columns and summands of a block; `each`: rows and columns of a thread,
    `warp` those of a warp with "tf32x3". `vector`: arrays whose elements are accessed four at a time where their rows are aligned.
    With `parts`, so many blocks share the summands of each tile, for results with few rows and columns and long sums.

    There are versions: if there are fewer tiles than `blocks`, the tile is smaller (`few`, or False for no such version), so that
    more blocks share the work. The hardware copies tiles of floats if their rows are aligned and neither `tile` nor `few` is given;
    else, if the tile divides all sizes, nothing is tested. The last one is for all other sizes. `versions=False` makes that one
    alone, `divided=True` the one that tests nothing: then the contract must imply that the tile divides the sizes.

    Before:
        for (int i = 0; i < m; i++) {
          for (int j = 0; j < n; j++) {
            float sum = 0.0f;
            for (int k = 0; k < p; k++) {
              sum += a[i][k] * b[k][j];
            }
            c[i][j] = fmaxf(sum + bias[j], 0.0f);
          }
        }
    Step: schedules.matmul(s)
    After: four kernels: where `n` and `p` are multiples of 4, with tiles of 64 x 128 if fewer than 132 tiles of 256 x 128 cover
    `c`, and of 256 x 128 if not; where they are not, with tiles of 64 x 64 or 128 x 128. In each, a block gets the next tiles of
    `a` and `b` while it computes with the present ones, and `fmaxf(sum + bias[j], 0.0f)` is computed before the store.

    Needs: a nest of independent loops around one sum of products of two factors, of which one does not depend on `rows` and the
    other one not on `cols`; one store of what becomes of the sum.
    Fails: OG311 when `divided` tiles may not divide a size; OG602 when there are several products.
    """
    _require_known(precision, parts)
    p = only_product(
        s, "matmul", {},
        rows=rows, cols=cols, inner=inner, left=left, right=right, out=out, grid=grid, taps=taps, total=total,
    )  # fmt: skip
    elem = array_of(s, p.path, p.left.array).elem
    of_tiles = p.has_tiles and (is_stored_float(elem) or (precision == "tf32" and elem == FLOAT))
    start_at_zero(s, p.total)
    if parts > 1:
        if not p.has_tiles or precision == "tf32x3":
            raise refuse("the summands of this product are not divided into parts", code="OG604")
        return _in_parts(s, p, parts, tile, of_tiles)
    if of_tiles:
        kernels: ProductKernels = KernelsOfTiles(s, p, elem, tile, few or False)
    else:
        vectors = list(p.vector if vector is None else vector)
        parts_of = (each, few_each) if precision == "float" else (warp, few_warp)
        kernels = _of_threads(s, p, precision, tile, few, parts_of, {"vector": vectors, "name": name})
    if divided:
        kernels.divided()
    elif versions and _has_versions(s, p):
        _in_versions(s, [*kernels.versions(blocks)])
    else:
        kernels.any_size()


def _require_known(precision: str, parts: int) -> None:
    require_positive(parts=(parts,))
    if precision not in PRECISIONS:
        raise refuse(f'precision="{precision}" is not known', help=f"one of {', '.join(PRECISIONS)}", code="OG604")


def _in_parts(
    s: TransformSession, p: ProductReading, parts: int, tile: tuple[int, int, int] | None, of_tiles: bool
) -> None:
    """A kernel whose blocks share the summands of each tile, and one that adds up what they leave."""
    if of_tiles:
        elem = tile_type(array_of(s, p.path, p.left.array).elem)
        tile_contraction(s, **p.names(), elem=elem, tile=tile, parts=parts)
    else:
        copied_contraction(s, **p.names(), parts=parts, **PARTS_COPIED)


def _of_threads(
    s: TransformSession,
    p: ProductReading,
    precision: str,
    tile: tuple[int, int, int] | None,
    few: tuple[int, int, int] | bool | None,
    parts_of: tuple[tuple[int, int], tuple[int, int]],
    options: dict[str, Any],
) -> KernelsOfThreads:
    """Kernels of threads. `parts_of`: rows and columns of a thread or warp, usually and for few tiles."""
    usual = (128, 128, 16 if p.is_rectangular else DEPTH_OF_TRIANGLES)
    small = FEW if few is True else few or None
    smaller = KernelShape(small, parts_of[1]) if small is not None else None
    options = {**p.names(), **options, **({} if precision == "float" else {"precision": precision})}
    copied = tile is None and few is True and precision == "float"
    return KernelsOfThreads(s, p, options, KernelShape(tile or usual, parts_of[0]), smaller, copied=copied)


def _in_versions(s: TransformSession, versions: Sequence[Version]) -> None:
    """The versions of a function whose body is one product: each is divided from those that are left."""
    first, *others = versions
    if first.when is None:
        return first.make()
    fast, rest = s.function.versions(first.when)
    with s.inside(fast):
        first.make()
    with s.inside(rest):
        _in_versions(s, others)


def _has_versions(s: TransformSession, p: ProductReading) -> bool:
    """Is the product all that the function does, and are its sizes known when it is called?"""
    is_alone = len(code(s.around(p.path))) == 1 and not any(isinstance(s.at(x), For) for x in p.path.ancestors())
    return is_alone and p.is_rectangular and p.has_known_sizes(s)


def propose_matmul(s: TransformSession) -> Proposal | Unfit:
    """Fits a program with one product of matrices."""
    p = single_product(s)
    if isinstance(p, str):
        return Unfit("matmul", p)
    if p.is_windowed:
        return Unfit("matmul", "the factors are not matrices: an index moves with the result and with the sum")
    return Proposal(matmul, (), p.names())
