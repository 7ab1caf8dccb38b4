"""Matrix products in one line: what is multiplied is read from the program, and versions of the function serve all sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from optigpu.light_dataclass import dataclass
from optigpu.schedules.contraction import contraction
from optigpu.schedules.contraction_tools import VECTOR, last_size, start_at_zero
from optigpu.schedules.product_reading import ProductReading, extent_of, only_product, single_product
from optigpu.schedules.proposals import Proposal, Unfit
from optigpu.schedules.reading import code
from optigpu.schedules.row_loops import whole_vectors
from optigpu.schedules.tensor_contraction import tensor_contraction
from optigpu.script.transformation import transformation
from optigpu.syntax.printer import print_expr
from optigpu.syntax.program import For
from optigpu.transform.registry import TransformSession
from optigpu.transform.tools.refusal import refuse
from optigpu.transform.tools.simplified import lit

PRECISIONS = ("float", "tf32x3", "tf32")
BLOCKS = 132  # of a GPU that can run at the same time, one on each multiprocessor: as many as an H200 has
DEPTH_OF_TRIANGLES = 8  # a block of a triangular matrix starts with the first chunk that is not zero


@dataclass(frozen=True)
class KernelShape:
    """`tile`: rows, columns and summands of a block. `part`: rows and columns of a thread, or of a warp on tensor cores."""

    tile: tuple[int, int, int]
    part: tuple[int, int]


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
    few: tuple[int, int, int] | None = (64, 64, 16),
    few_each: tuple[int, int] = (8, 4),
    few_warp: tuple[int, int] = (32, 32),
    blocks: int = BLOCKS,
    vector: Sequence[str] | None = None,
    versions: bool = True,
    divided: bool = False,
    name: str = "",
) -> None:
    """Kernels of `out[rows][cols] = f(sum over inner of left[rows][inner] * right[inner][cols])`, for matrices of any size and
    layout, and for batches of them. The arguments that name loops and arrays are read from the program where they are left out.

    `precision`: "float" computes on the cores of floats, "tf32x3" on tensor cores with the accuracy of floats, "tf32" with that of
    TF32. `tile`: rows, columns and summands of a block; `each`: rows and columns of a thread, `warp` those of a warp on tensor
    cores. `vector`: arrays whose elements are accessed four at a time where their rows are aligned.

    There are up to three versions: if there are fewer tiles than `blocks`, the tile is `few`, so that more blocks share the work;
    if the tile divides all sizes, nothing is tested; and one for all other sizes. `versions=False` makes the last one alone,
    `divided=True` the one that tests nothing: then the contract must imply that the tile divides the sizes.

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
    After: three kernels: with tiles of 64 x 64 where fewer than 132 tiles of 128 x 128 cover `c`; without any test where `m` and
    `n` are multiples of 128 and `p` of 16; and one for all other sizes. In each, a block loads the next tiles of `a` and `b` while
    it computes with the present ones, and `fmaxf(sum + bias[j], 0.0f)` is computed before the store.

    Needs: a nest of independent loops around one sum of products of two factors, of which one does not depend on `rows` and the
    other one not on `cols`; one store of what becomes of the sum.
    Fails: OG311 when `divided` tiles may not divide a size; OG602 when there are several products.
    """
    if precision not in PRECISIONS:
        raise refuse(f'precision="{precision}" is not known', help=f"one of {', '.join(PRECISIONS)}", code="OG604")
    p = only_product(
        s, "matmul", {},
        rows=rows, cols=cols, inner=inner, left=left, right=right, out=out, grid=grid, taps=taps, total=total,
    )  # fmt: skip
    start_at_zero(s, p.total)
    tensor = precision != "float"
    usual = (128, 128, 16 if p.is_rectangular else DEPTH_OF_TRIANGLES)
    whole = KernelShape(tile or usual, warp if tensor else each)
    options: dict[str, Any] = {**p.names(), "vector": list(p.vector if vector is None else vector), "name": name}
    if tensor:
        options["precision"] = precision
    if divided:
        return _kernel(s, options, whole, divided=True)
    if not versions or not _has_versions(s, p):
        return _kernel(s, options, whole)
    smaller = KernelShape(few, few_warp if tensor else few_each) if few is not None else None
    return _versions(s, p, options, whole, smaller, blocks)


def _kernel(s: TransformSession, options: dict[str, Any], shape: KernelShape, *, divided: bool = False) -> None:
    if "precision" in options:
        tensor_contraction(s, **options, tile=shape.tile, warp=shape.part)
    else:
        contraction(s, **options, tile=shape.tile, each=shape.part, divided=divided)


def _versions(
    s: TransformSession,
    p: ProductReading,
    options: dict[str, Any],
    whole: KernelShape,
    smaller: KernelShape | None,
    blocks: int,
) -> None:
    """The versions of a function whose body is one product: each is divided from those that are left."""
    is_few = _has_few_tiles(s, p, whole.tile, blocks)
    if smaller is not None and is_few is not None:
        fast, rest = s.function.versions(is_few)
        with s.inside(fast):
            _kernel(s, options, smaller)
        with s.inside(rest):
            return _versions(s, p, options, whole, None, blocks)
    is_whole = None if "precision" in options else _is_divided(s, p, whole.tile, options["vector"])
    if is_whole is None:
        return _kernel(s, options, whole)
    if not is_whole:
        return _kernel(s, options, whole, divided=True)
    fast, rest = s.function.versions(is_whole)
    with s.inside(fast):
        _kernel(s, options, whole, divided=True)
    with s.inside(rest):
        _kernel(s, options, whole)


def _has_versions(s: TransformSession, p: ProductReading) -> bool:
    """Is the product all that the function does, and are its sizes known when it is called?"""
    is_alone = len(code(s.around(p.path))) == 1 and not any(isinstance(s.at(x), For) for x in p.path.ancestors())
    return is_alone and p.is_rectangular and p.has_known_sizes(s)


def _has_few_tiles(s: TransformSession, p: ProductReading, tile: Sequence[int], blocks: int) -> str | None:
    """Whether a result has fewer tiles than `blocks`, as C; None if that is known before the call."""
    counts = [_bound(x) for x in p.grid]
    counts += [f"(({_bound(x)}) + {size - 1}) / {size}" for x, size in zip((p.rows, p.cols), tile)]
    if all(extent_of(s, x) is not None for x in (*p.grid, p.rows, p.cols)):
        return None
    # each count by itself first: their product is not computed if it may be too large for any integer
    single = [f"{count} < {blocks}" for count in counts] if p.grid else []
    return " && ".join([*single, f"{' * '.join(f'({count})' for count in counts)} < {blocks}"])


def _is_divided(s: TransformSession, p: ProductReading, tile: Sequence[int], vector: Sequence[str]) -> str | None:
    """Whether a tile divides all sizes, and vectors the sizes of rows that are further apart than they are long, as C; "" if they
    always do, None if they never do or the products are not all added up."""
    if p.is_guarded or p.taps:
        return None
    bounds = [x.range.bound for x in (p.rows, p.cols, p.inner)]
    apart = whole_vectors(s, [size for size in (last_size(s, x) for x in vector) if size not in bounds], VECTOR)
    if lit(0) in apart:
        return None
    tests = [print_expr(test) for test in apart]
    for loop, size in zip((p.rows, p.cols, p.inner), tile):
        extent = extent_of(s, loop)
        if extent is None:
            tests.append(f"({_bound(loop)}) % {size} == 0")
        elif extent % size or not extent:
            return None
    if extent_of(s, p.inner) is None:
        tests.append(f"{_bound(p.inner)} > 0")
    return " && ".join(tests)


def _bound(loop: For) -> str:
    return print_expr(loop.range.bound)


def propose_matmul(s: TransformSession) -> Proposal | Unfit:
    """Fits a program with one product of matrices."""
    p = single_product(s)
    if isinstance(p, str):
        return Unfit("matmul", p)
    if p.is_windowed:
        return Unfit("matmul", "the factors are not matrices: an index moves with the result and with the sum")
    return Proposal(matmul, (), p.names())
