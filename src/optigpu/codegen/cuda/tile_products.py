"""Products of tiles: which instruction computes one, and what it needs of its operands."""

from __future__ import annotations

from collections.abc import Mapping

from optigpu.codegen.cuda.lowering_scope import ArrayInfo
from optigpu.codegen.cuda.stored_float_text import cuda_type
from optigpu.codegen.cuda.tile_helpers import HELPERS
from optigpu.codegen.cuda.tile_instructions import Helper, warp_product, wgmma
from optigpu.codegen.cuda.tile_shapes import PANEL, SWIZZLED_ROWS
from optigpu.codegen.integer_polynomials import poly
from optigpu.light_dataclass import dataclass
from optigpu.syntax.builtins import TILE_PRODUCTS
from optigpu.syntax.exprs import Alloc, Array, Expr, Int
from optigpu.syntax.program import Body, CallStmt, Decl
from optigpu.syntax.types import BF16, HALF, TF32, Scalar, Space
from optigpu.syntax.walk import statements

WARP, FOUR_WARPS = 32, 128
SUMMANDS_BYTES = 32  # of a row of the left operand of one instruction
MOST_COLS = 256  # of one instruction of four warps
TENSOR_NAMES = {TF32: "tf32", HALF: "f16", BF16: "bf16"}  # element -> its name in PTX


@dataclass(frozen=True)
class Product:
    """A product of tiles of a type, for a fragment of a group with these rows and columns. `left_across`, `right_across`:
    the summands are the rows of the left tile, or the columns of the right one; a left operand in registers has None."""

    elem: Scalar
    group: int
    sizes: tuple[int, int]
    count: Expr  # of summands
    left_across: bool | None
    right_across: bool

    @property
    def loads_left(self) -> bool:
        """Do four warps load the left operand into registers? For TF32, they take one from shared memory only by rows."""
        return self.elem.size > 2 and self.left_across is True

    @property
    def is_of_four_warps(self) -> bool:
        """Is there an instruction of four warps?"""
        by_rows = self.elem.size == 2 or self.right_across
        return self.group == FOUR_WARPS and self.sizes[1] <= MOST_COLS and by_rows

    def why_not(self, kept: ArrayInfo | None, sums: ArrayInfo) -> str | None:
        """Why no instruction computes it; `kept`: the left operand in registers."""
        summands, rows = SUMMANDS_BYTES // self.elem.size, self.group // 2
        if self.group not in (WARP, FOUR_WARPS) or not isinstance(self.count, Int) or self.count.value % summands:
            return f"tensor cores add up multiples of {summands} products of `{self.elem.name}`"
        if self.sizes[0] % rows or self.sizes[1] % 16:
            return f"the fragment that a product of tiles is added to has multiples of {rows} and 16 rows and columns"
        if kept is None:
            return None
        if self.elem.size != 2:
            return "a left factor in registers has numbers of 16 bits"
        if kept.group != self.group or kept.dims[0] != sums.dims[0] or kept.dims[1] != self.count:
            return "a left factor in registers has the rows of the result, and as many columns as are added up"
        return None

    def takes(self, along: bool, k: Expr, other: Expr) -> bool:
        """Can an operand of four warps begin at summand k? `along`: adjacent summands are adjacent in memory."""
        if along:
            return divides(SUMMANDS_BYTES // self.elem.size, k) and divides(SWIZZLED_ROWS, other)
        return divides(SWIZZLED_ROWS, k) and divides(PANEL // self.elem.size, other)

    def has_whole_panels(self, cols: Expr | None) -> bool:
        """Does an operand of four warps whose rows are the summands have whole rows of the panels of its tile?"""
        panel = min(cols.value if isinstance(cols, Int) else 0, PANEL // self.elem.size)
        return self.right_across or (panel > 0 and self.sizes[1] % panel == 0)

    def function(self, fast: bool) -> str:
        """The function that computes it, with its template arguments."""
        assert isinstance(self.count, Int)
        loaded = fast and self.loads_left
        flags = [] if self.left_across is None or loaded else [self.left_across]
        form = ", ".join(str(x).lower() for x in (*flags, self.right_across, self.count.value))
        if not fast:
            return f"multiply_by_warps<{self.group // 2}, {form}>"
        return f"multiply_loaded<{form}>" if loaded else f"multiply_by_four_warps<{form}>"

    def helpers(self, fast: bool) -> Mapping[str, Helper]:
        ptx, cuda = TENSOR_NAMES[self.elem], cuda_type(self.elem)
        operands = "operands_16" if self.elem.size == 2 else "operands_32"
        out = {f"warp_product {ptx}": warp_product(cuda, ptx), operands: HELPERS[operands]}
        names = ["multiply_by_warps"]
        if fast:
            cols, registers = self.sizes[1] // 8, self.left_across is None or self.loads_left
            out |= {"wgmma": HELPERS["wgmma"], f"wgmma {ptx} {cols} {registers}": wgmma(cuda, ptx, cols, registers)}
            by_form = "multiply_loaded" if self.loads_left else "multiply_by_four_warps"
            names.append("multiply_registers" if self.left_across is None else by_form)
        return {**out, **{name: HELPERS[name] for name in names}}


def is_across(device: Body) -> bool:
    """Do fragments have the layout of their transposes? Tensor cores take the right factor of a product of TF32 from shared memory
    only if adjacent summands are adjacent. So `mma(c, a, b, depth)` of TF32 is computed as cᵀ += bᵀ aᵀ, with bᵀ in registers.
    Then no thread has a whole row, which vectors of rows need."""
    calls = [s.call for s in statements(device) if isinstance(s, CallStmt)]
    products = [c for c in calls if c.func in TILE_PRODUCTS]
    wanted = any(c.func == "mma" and _elem(c.args[1]) == TF32 for c in products)
    in_registers = any(_space(c.args[1]) is Space.FRAG for c in products)
    return wanted and not in_registers and not _has_row_vectors(device)


def _elem(e: Expr) -> Scalar | None:
    return e.type.elem if isinstance(e.type, Array) else None


def _space(e: Expr) -> Space | None:
    return e.type.space if isinstance(e.type, Array) else None


def _has_row_vectors(device: Body) -> bool:
    for s in statements(device):
        match s:
            case Decl(_, Array(space=Space.FRAG, dims=dims)) if len(dims) == 1:
                return True
            case Decl(init=Alloc(space=Space.FRAG, dims=dims)) if (
                len(dims) == 2
            ):  # how many groups there are, and the rows
                return True
            case _:
                pass
    return False


def divides(n: int, e: Expr) -> bool:
    """Are all parts of an index multiples of n?"""
    return all(c % n == 0 for _, c in poly(e).terms)
