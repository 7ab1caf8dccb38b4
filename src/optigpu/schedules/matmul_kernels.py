"""The kernels of a matrix product, and for which sizes each is fast: those of threads, and those of tiles on tensor cores."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from optigpu.light_dataclass import dataclass
from optigpu.schedules.contraction import contraction
from optigpu.schedules.contraction_tools import VECTOR, last_size
from optigpu.schedules.copied_contraction import copied_contraction
from optigpu.schedules.product_reading import ProductReading, extent_of
from optigpu.schedules.row_loops import whole_vectors
from optigpu.schedules.tensor_contraction import tensor_contraction
from optigpu.schedules.tile_contraction import TILES, tile_contraction
from optigpu.syntax.exprs import Var
from optigpu.syntax.printer import print_expr
from optigpu.syntax.program import For
from optigpu.syntax.types import FLOAT, TF32, Scalar
from optigpu.transform.registry import TransformSession
from optigpu.transform.tools.simplified import lit

FEW = (64, 64, 16)  # the tile for results with few tiles
# Where the hardware copies tiles, with the rows and columns of a thread: usually, for few tiles, and where blocks share summands
COPIED: dict[str, Any] = {"tile": (256, 128, 32), "each": (16, 8), "aligned": True}
FEW_COPIED: dict[str, Any] = {"tile": (64, 128, 64), "each": (8, 4), "rows_in_turn": 2, "aligned": True}
PARTS_COPIED: dict[str, Any] = {"tile": (128, 128, 64), "each": (8, 8), "stages": 3, "rows_in_turn": 1}
# The same on tensor cores, by the bytes of an element, and for TF32 where groups of threads have columns
FEW_TILES: dict[int, dict[str, Any]] = {
    2: {"tile": (64, 128, 64), "stages": 6, "rows_in_turn": 2},
    4: {"tile": (64, 128, 32), "stages": 6, "rows_in_turn": 2},
}
FEW_BY_COLS: dict[str, Any] = {"tile": (128, 64, 64), "stages": 4, "rows_in_turn": 2}


@dataclass(frozen=True)
class KernelShape:
    """`tile`: rows, columns and summands of a block. `part`: rows and columns of a thread, or of a warp on tensor cores."""

    tile: tuple[int, int, int]
    part: tuple[int, int]


@dataclass(frozen=True)
class Version:
    """How a kernel is made, and for which sizes: a condition in C, None for all that are left."""

    when: str | None
    make: Callable[[], None]


class ProductKernels(ABC):
    """The kernels of one product."""

    def __init__(self, s: TransformSession, p: ProductReading) -> None:
        self.s, self.p = s, p

    @abstractmethod
    def versions(self, blocks: int) -> Iterator[Version]:
        """Kernels in the order in which their conditions are tested; `blocks`: how many run at the same time."""

    @abstractmethod
    def any_size(self) -> None: ...

    @abstractmethod
    def divided(self) -> None:
        """The kernel for sizes that tiles divide."""


class KernelsOfThreads(ProductKernels):
    """On the cores of floats, or with tensor cores as loops of warps ("tf32x3"). `smaller`: for few tiles; `copied`: may the
    hardware copy tiles there?"""

    def __init__(
        self,
        s: TransformSession,
        p: ProductReading,
        options: dict[str, Any],
        whole: KernelShape,
        smaller: KernelShape | None,
        *,
        copied: bool,
    ) -> None:
        super().__init__(s, p)
        self.options, self.whole, self.smaller, self.copied = options, whole, smaller, copied

    def versions(self, blocks: int) -> Iterator[Version]:
        aligned = has_aligned_rows(self.s, self.p) if self.copied else None
        if aligned is not None:
            yield from self.copying_versions(aligned, blocks)
        is_few = has_few_tiles(self.s, self.p, self.whole.tile, blocks)
        if self.smaller is not None and is_few is not None:
            smaller = self.smaller
            yield Version(is_few, lambda: self.kernel(smaller))
        tests = aligned is None and not self.on_tensor_cores
        is_whole = is_divided(self.s, self.p, self.whole.tile, self.options["vector"]) if tests else None
        if is_whole is not None:
            yield Version(is_whole or None, self.divided)
        yield Version(None, self.any_size)

    def copying_versions(self, aligned: list[str], blocks: int) -> Iterator[Version]:
        """Kernels for rows that are aligned, whose tiles the hardware copies."""
        names = self.p.names()
        is_few = has_few_tiles(self.s, self.p, COPIED["tile"], blocks)
        if is_few is not None:
            when = " && ".join([*aligned, is_few])
            yield Version(when, lambda: copied_contraction(self.s, **names, **FEW_COPIED))
        yield Version(" && ".join(aligned) or None, lambda: copied_contraction(self.s, **names, **COPIED))

    @property
    def on_tensor_cores(self) -> bool:
        return "precision" in self.options

    def any_size(self) -> None:
        self.kernel(self.whole)

    def divided(self) -> None:
        self.kernel(self.whole, divided=True)

    def kernel(self, shape: KernelShape, *, divided: bool = False) -> None:
        if self.on_tensor_cores:
            tensor_contraction(self.s, **self.options, tile=shape.tile, warp=shape.part)
        else:
            contraction(self.s, **self.options, tile=shape.tile, each=shape.part, divided=divided)


class KernelsOfTiles(ProductKernels):
    """On tensor cores, from tiles that the hardware copies."""

    def __init__(
        self,
        s: TransformSession,
        p: ProductReading,
        elem: Scalar,
        tile: tuple[int, int, int] | None,
        few: tuple[int, int, int] | bool,
    ) -> None:
        super().__init__(s, p)
        self.elem, self.few = elem, few
        self.along = tuple(x.indices[-1] == Var(p.inner.index) for x in (p.left, p.right))
        self.by_cols = elem.size == TF32.size and self.along == (True, False)
        self.tile = tile

    @property
    def usual(self) -> tuple[int, int, int]:
        rows, cols, depth = self.tile or TILES[self.elem.size]
        return (cols, rows, depth) if self.by_cols and self.tile is None else (rows, cols, depth)

    def versions(self, blocks: int) -> Iterator[Version]:
        is_few = has_few_tiles(self.s, self.p, self.usual, blocks) if self.few else None
        if is_few is not None:
            yield Version(is_few, lambda: self.kernel(**self.smaller))
        yield Version(None, self.any_size)

    @property
    def smaller(self) -> dict[str, Any]:
        if isinstance(self.few, tuple):
            return {"tile": self.few}
        return FEW_BY_COLS if self.by_cols else FEW_TILES[self.elem.size]

    def any_size(self) -> None:
        self.kernel(tile=self.usual)

    def divided(self) -> None:
        self.any_size()

    def kernel(self, **options: Any) -> None:
        tile_contraction(self.s, **self.p.names(), elem=tile_type(self.elem), **options)


def tile_type(elem: Scalar) -> str | None:
    """The type of tiles of these numbers, if it is another one."""
    return TF32.name if elem == FLOAT else None


def has_few_tiles(s: TransformSession, p: ProductReading, tile: Sequence[int], blocks: int) -> str | None:
    """Whether a result has fewer tiles than `blocks`, as C; None if that is known before the call."""
    counts = [_bound(x) for x in p.grid]
    counts += [f"(({_bound(x)}) + {size - 1}) / {size}" for x, size in zip((p.rows, p.cols), tile)]
    if all(extent_of(s, x) is not None for x in (*p.grid, p.rows, p.cols)):
        return None
    # each count by itself first: their product is not computed if it may be too large for any integer
    single = [f"{count} < {blocks}" for count in counts] if p.grid else []
    return " && ".join([*single, f"{' * '.join(f'({count})' for count in counts)} < {blocks}"])


def is_divided(s: TransformSession, p: ProductReading, tile: Sequence[int], vector: Sequence[str]) -> str | None:
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


def has_aligned_rows(s: TransformSession, p: ProductReading) -> list[str] | None:
    """Do the rows of all three matrices begin at multiples of 16 bytes, as conditions in C? None if they never do, or no tiles of
    floats can be copied."""
    matrices = [x.array for x in (p.left, p.right, p.out)]
    if not p.has_tiles or not {*matrices} <= {*p.vector}:
        return None
    tests = whole_vectors(s, [last_size(s, x) for x in matrices], VECTOR)
    return None if lit(0) in tests else [print_expr(test) for test in tests]


def _bound(loop: For) -> str:
    return print_expr(loop.range.bound)
