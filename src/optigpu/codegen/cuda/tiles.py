"""Tiles in shared memory: which arrays are swizzled, and the calls that copy and multiply them.

An array of which tiles are copied, or which is a factor of a product of tiles, is swizzled if its sizes allow it: a permutation of
its cells that no proof sees. Only `at(row, col)` finds an element.
"""

from __future__ import annotations

from collections.abc import Iterable

from optigpu.codegen.cuda.fragments import STORE_PAIR, FragmentLowering
from optigpu.codegen.cuda.lowering_scope import ArrayInfo, LoweringScope, Storage
from optigpu.codegen.cuda.pipelines import unfit
from optigpu.codegen.cuda.producers import registers_of_roles
from optigpu.codegen.cuda.stored_float_text import cuda_type
from optigpu.codegen.cuda.tile_helpers import HELPERS, packed
from optigpu.codegen.cuda.tile_instructions import Helper, copy_box
from optigpu.codegen.cuda.tile_products import Product, divides
from optigpu.codegen.cuda.tile_shapes import NARROW_PANELS, PANEL, SWIZZLED_ROWS
from optigpu.codegen.integer_polynomials import number
from optigpu.light_dataclass import replace
from optigpu.syntax.builtins import ROW_REDUCTIONS, TILE_COPY, TILE_PRODUCTS
from optigpu.syntax.exprs import Addr, Array, Call, Expr, Index, Int, Var
from optigpu.syntax.program import Body, CallStmt
from optigpu.syntax.source import Loc
from optigpu.syntax.types import INT64, UINT64, Scalar
from optigpu.syntax.walk import root_name, statements

COPIED_BYTES = 16  # of one asynchronous copy
# Calls that `pipelines.py` puts in, whose arguments need no lowering but that of expressions
PIPELINE_CALLS = frozenset({
    "copies_commit", "copies_wait", "stage_sync", "everyone_sync", "users_sync", "pipeline_turn", "next_turn", "await_barrier",
    "arrive_at_barrier", "leave_stage", "start_barriers", "barriers_started", "bulk_copy", "more_registers", "fewer_registers",
})  # fmt: skip
BULK_COPY = "bulk_copy"  # what a copy of a tile becomes in a producer
# Functions of the helpers, whose arguments are fragments, tiles and maps
TILE_FUNCTIONS = frozenset({
    *PIPELINE_CALLS, *(f"fragment_row_{op}" for op in ROW_REDUCTIONS.values()),
    "load_tile", "load_rows", "multiply_by_warps", "multiply_by_four_warps", "multiply_loaded",
})  # fmt: skip


def tile_arrays(device: Body) -> set[str]:
    """The names of arrays that are copied as tiles, or are factors of products of tiles."""
    out: set[str] = set()
    for s in statements(device):
        if isinstance(s, CallStmt) and s.call.func in (TILE_COPY, BULK_COPY):
            out.add(root_name(s.call.args[0]))
        if isinstance(s, CallStmt) and s.call.func in TILE_PRODUCTS:
            out |= {root_name(a) for a in s.call.args[1:3]}
    return out


class TileLowering(FragmentLowering):
    """What `Lowering` does with calls about tiles. `helpers`: the device code that they need."""

    helpers: dict[str, Helper]
    vectors: dict[str, int]
    block_threads: int  # of those that copy tiles together

    def tile_call(self, call: Call, scope: LoweringScope) -> Call:
        if call.func == TILE_COPY:
            return self.tile_copy(call, scope)
        if call.func in ROW_REDUCTIONS:
            vector, fragment = (Var(root_name(a)) for a in call.args)
            name = f"fragment_row_{ROW_REDUCTIONS[call.func]}"
            self.need(name)
            return replace(call, func=name, args=(vector, fragment))
        return self.product(call, scope)

    def need_packing(self, elem: Scalar) -> None:
        self.need(f"packed {elem.name}", packed(elem.name))

    def need_pairs(self) -> None:
        self.need(STORE_PAIR)

    def need(self, name: str, helper: Helper | None = None) -> None:
        self.helpers[name] = helper or HELPERS[name]

    def pipeline_call(self, call: Call, scope: LoweringScope) -> Call:
        """A call that `pipelines.py` has put in, in the words of the helpers."""
        args = tuple(self.expr(a, scope) for a in call.args)
        match call.func, args:
            case "copies_commit" | "copies_wait" as name, _:
                self.need(name)
                return replace(call, func=f"copies_wait<{_value(args[0])}>", args=()) if args else call
            case "start_barriers", (array, stages, arrivals):
                self.need("start_barriers")
                return replace(call, func=f"start_barriers<{_value(stages)}>", args=(array, arrivals))
            case "users_sync", (threads,):
                self.need("users_sync")
                return replace(call, func=f"users_sync<{_value(threads)}>", args=())
            case "fewer_registers" | "more_registers" as name, (threads,):
                self.need("registers")
                count = registers_of_roles(_value(threads))[name == "more_registers"]
                return replace(call, func=f"{name}<{count}>", args=())
            case "pipeline_turn", _:
                self.need("pipeline_turn")
            case "bulk_copy", (_, _, _, *at):
                self.need("bulk_copy")
                self.need(f"copy_box {len(at)}", copy_box(len(at)))
                return replace(call, args=(*args[:3], *(self.tile_place(a, scope) for a in call.args[3:])))
            case "await_barrier" | "arrive_at_barrier" | "barriers_started", _:
                self.need("barriers")
            case "leave_stage", _:
                self.need("leave_stage")
            case _:
                pass
        return replace(call, args=args)

    def tile_copy(self, call: Call, scope: LoweringScope) -> Call:
        """A copy by all threads of the block."""
        tile, source, *at = call.args
        if not isinstance(source, Var) or not isinstance(tile, Var | Index):
            raise unfit("a tile is copied from a whole array to a whole tile", call.loc)
        info, array = scope.arrays[root_name(tile)], scope.arrays[root_name(source)]
        if not self.block_threads:
            raise unfit("the threads that copy a tile together are no known number", call.loc)
        *lead, row, col = (self.tile_place(a, scope) for a in at)
        height, width = (d for d in array.dims[-2:])
        if array.storage is not Storage.GLOBAL or height is None or width is None:
            raise unfit(f"the sizes of `{array.name}` are not known", call.loc)
        matrix: Expr = Var(array.name, type=source.type)
        if lead:
            matrix = Addr(Index(matrix, (*lead, number(0), number(0))), type=Array(array.elem, (None,)))
        for name in ("copies_commit", "copies_wait"):
            self.need(name)
        if info.swizzled:
            self.need("load_tile")
            name, to = f"load_tile<{self.block_threads}>", self.expr(tile, scope)
        else:
            self.need("load_rows")
            rows, cols = (d.value if isinstance(d, Int) else 0 for d in info.dims[-2:])
            if not rows or not cols:
                raise unfit(f"the sizes of `{info.name}` are not numbers", call.loc)
            if cols * info.elem.size % COPIED_BYTES == 0:
                self.vectors[info.name] = COPIED_BYTES
            name = f"load_rows<{self.block_threads}, {rows}, {cols}>"
            inside = self.expr(tile, scope)
            stages = inside.indices if isinstance(inside, Index) else ()
            to = Addr(Index(Var(info.name), (*stages, number(0), number(0))), type=Array(info.elem, (None,)))
        return replace(call, func=name, args=(to, matrix, height, width, row, col))

    def tile_place(self, e: Expr, scope: LoweringScope) -> Expr:
        """The place of a tile as a number of 64 bits with sign: outside of every array, if it is larger."""
        place = self.folded(e, scope)
        if e.type == UINT64:
            return self.folded(Call("min", (e, Int(INT64.high, UINT64, type=UINT64)), type=UINT64, loc=e.loc), scope)
        if not scope.ranges.fits(place, INT64):
            raise unfit("the place of this tile may need more than 64 bits", e.loc)
        return place

    def product(self, call: Call, scope: LoweringScope) -> Call:
        """A product of tiles by the instruction of a warp, or by that of four warps where it has these tiles."""
        total, left, right, depth = call.args
        for factor in (left, right):
            if root_name(factor) not in scope.arrays:
                raise unfit(f"the factor `{root_name(factor)}` is a pointer, and no tile", factor.loc, "&a[i][j]")
        sums, kept = (scope.arrays[root_name(a)] for a in (total, left))
        left_across, right_across = TILE_PRODUCTS[call.func]
        if self.across:  # the transpose of the sum: the factors change places
            left, right, left_across, right_across = right, left, not right_across, not left_across
        in_registers = kept.storage is Storage.FRAGMENT
        if in_registers and left_across:
            raise unfit("a left factor in registers is not transposed", call.loc)
        form = Product(
            scope.arrays[root_name(right)].elem, sums.group or 0, self.sizes(sums), self.folded(depth, scope),
            None if in_registers else left_across, right_across,
        )  # fmt: skip
        if (why_not := form.why_not(kept if in_registers else None, sums)) is not None:
            raise unfit(why_not, call.loc)
        b, col, k = self.operand(right, not right_across, scope, call.loc)
        fits = form.takes(right_across, k, col) and form.has_whole_panels(scope.arrays[root_name(right)].dims[-1])
        first: tuple[Expr, ...] = (Var(kept.name),)
        if not in_registers:
            first = self.operand(left, left_across, scope, call.loc)
            _, row, left_k = first
            fits = fits and (form.loads_left or form.takes(not left_across, left_k, row))
        fast = fits and form.is_of_four_warps
        for name, helper in form.helpers(fast).items():
            self.need(name, helper)
        return replace(call, func=form.function(fast), args=(Var(sums.name), *first, b, k, col))

    def sizes(self, fragment: ArrayInfo) -> tuple[int, int]:
        """Rows and columns of a fragment as threads have them."""
        rows, cols = (d.value if isinstance(d, Int) else 0 for d in fragment.dims)
        return (cols, rows) if self.across else (rows, cols)

    def operand(self, e: Expr, across: bool, scope: LoweringScope, loc: Loc) -> tuple[Expr, Expr, Expr]:
        """A tile, and the row or column, and the summand, from which on it is used. `across`: its rows are the summands."""
        match e:
            case Addr(Index(Var(name), indices)):
                info, at = scope.arrays[name], tuple(self.folded(i, scope) for i in indices)
                if len(at) == len(info.dims) - 1:  # of a row: from its first element on
                    at = (*at, number(0))
                lead, (row, col) = at[: len(info.dims) - 2], at[len(info.dims) - 2 :]
                whole = Var(info.name, type=e.type)
                tile: Expr = Index(whole, lead, type=e.type) if lead else whole
            case _:
                info, tile, row, col = scope.arrays[root_name(e)], self.expr(e, scope), number(0), number(0)
        if not info.swizzled:
            narrow = ", ".join(map(str, NARROW_PANELS))
            sizes = f"rows of {narrow} or multiples of {PANEL} bytes, and a multiple of {SWIZZLED_ROWS} rows"
            raise unfit(f"the tile `{info.name}` is no factor for tensor cores: these have {sizes}", loc)
        if not divides(16 // info.elem.size, col):
            message = f"the tile `{info.name}` is used from a column on that is no multiple of {16 // info.elem.size}"
            raise unfit(message, loc)
        return (tile, col, row) if across else (tile, row, col)


def _value(e: Expr) -> int:
    assert isinstance(e, Int)
    return e.value


def tile_type(elem: Scalar, dims: Iterable[Expr | None]) -> str:
    """The C++ type of a swizzled tile."""
    rows, cols = [d.value for d in dims if isinstance(d, Int)][-2:]
    return f"shared_tile<{cuda_type(elem)}, {rows}, {cols}>"
