"""Effects of products and copies of tiles, and of reductions of rows, on symbolic memory."""

from __future__ import annotations

from optigpu.kernel import instructions as kc
from optigpu.kernel.fragment_rules import combined_row, row_cells, tile_cells
from optigpu.kernel.pipeline_rules import within_sizes
from optigpu.light_dataclass import replace
from optigpu.logic import terms as k
from optigpu.logic.cells import Cells, Terms
from optigpu.logic.facts import Facts
from optigpu.logic.terms import ZERO, Term
from optigpu.search.explore.symbolic_memory import Memory, Update, World
from optigpu.search.fresh_names import scoped
from optigpu.search.search_tools import SearchTools


class TileEffects:
    """Applies instructions about tiles to a world."""

    def __init__(self, tools: SearchTools, memory: Memory) -> None:
        self.tools, self.memory = tools, memory

    @scoped
    def apply(self, i: kc.MultiplyTiles | kc.ReduceRows | kc.CopyTile, w: World) -> None:
        match i:
            case kc.MultiplyTiles():
                self.multiply(i, w)
            case kc.ReduceRows():
                self.reduce_rows(i, w)
            case kc.CopyTile():
                self.copy(i, w)

    def multiply(self, i: kc.MultiplyTiles, w: World) -> None:
        """Add the products of the factors' rows and columns to a fragment."""
        rows, cols, depth = w.values((i.rows, i.cols, i.depth))
        total = tile_cells(w.tile(i.target), rows, cols)
        left = tile_cells(w.tile(i.left), rows, depth, i.left_across)
        right = tile_cells(w.tile(i.right), depth, cols, i.right_across)
        (row, col, n), inside = self._binders(w, rows, cols, depth)
        product = k.mul(self._read(left, (row, n), w, inside), self._read(right, (n, col), w, inside))
        value = k.add(self._read(total, (row, col), w, inside), k.big("sum", ZERO, depth, k.abstract(product, (n,))))
        self._write(i.at, total, value, (row, col), w)
        w.reads += (left, right)

    def reduce_rows(self, i: kc.ReduceRows, w: World) -> None:
        """Combine the elements of each row of a fragment with the row's element of a vector."""
        rows, cols = w.values((i.rows, i.cols))
        vector = row_cells(i.target.base, w.values((*i.target.lead, i.target.shift)), rows)
        source = tile_cells(w.tile(i.source), rows, cols)
        (row, col), inside = self._binders(w, rows, cols)
        body = k.abstract(self._read(source, (row, col), w, inside), (col,))
        self._write(
            i.at, vector, combined_row(i.operator, self._read(vector, (row,), w, inside), cols, body), (row,), w
        )
        w.reads += (source,)

    def copy(self, i: kc.CopyTile, w: World) -> None:
        """Fill a tile with elements of a matrix, and zeros outside of it."""
        rows, cols = w.values((i.rows, i.cols))
        target, source = (tile_cells(w.tile(view), rows, cols) for view in (i.target, i.source))
        exists = within_sizes(source, w.values(i.sizes))
        xs, inside = self._binders(w, rows, cols)
        here = k.instantiate(exists, xs)
        element = self._read(source, xs, w, inside.assume(here))
        value = k.ite(here, element, k.num(0, element.sort))
        self._write(i.at, target, inside.simplify(value), xs, w)
        w.reads += (replace(source, where=exists),)

    def _binders(self, w: World, *sizes: Term) -> tuple[Terms, Facts]:
        """Variables from 0 to each of the sizes."""
        xs = self.tools.temporaries(len(sizes))
        ranges = (k.and_(k.le(ZERO, x), k.lt(x, n)) for x, n in zip(xs, sizes))
        return xs, w.facts.assume(*ranges)

    def _read(self, cells: Cells, at: Terms, w: World, facts: Facts) -> Term:
        return self.memory.read(w.content(cells.base), cells.at(at), facts)

    def _write(self, at: int, cells: Cells, value: Term, xs: Terms, w: World) -> None:
        self.memory.write(cells.base, Update(cells, k.abstract(value, xs), at), w)
