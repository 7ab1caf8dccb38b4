"""Where the cells of tiles and fragments are found, for the rules about them."""

from __future__ import annotations

from optigpu.kernel import Kernel, Rejected, State
from optigpu.kernel import instructions as kc
from optigpu.kernel.causes import MissingPermission, Operation
from optigpu.kernel.fragment_rules import Found, row_cells, tile_cells
from optigpu.kernel.pipeline_rules import within_sizes
from optigpu.light_dataclass import replace
from optigpu.logic.cells import FULL, Cells
from optigpu.search.cell_search import CellSearch


class TileSearch:
    """Applies the rules for products and copies of tiles, and for reductions of rows."""

    def __init__(self, kernel: Kernel, cells: CellSearch) -> None:
        self.kernel, self.cells = kernel, cells

    def execute(self, state: State, i: kc.MultiplyTiles | kc.ReduceRows | kc.CopyTile | kc.AwaitStage) -> State:
        match i:
            case kc.AwaitStage():
                return self.kernel.await_stage(state)
            case kc.MultiplyTiles():
                rows, cols, depth = state.values((i.rows, i.cols, i.depth))
                target = self._found(state, Operation.MULTIPLY, tile_cells(state.tile(i.target), rows, cols), FULL)
                left = tile_cells(state.tile(i.left), rows, depth, i.left_across)
                right = tile_cells(state.tile(i.right), depth, cols, i.right_across)
                factors = (self._found(state, Operation.MULTIPLY, factor, "any") for factor in (left, right))
                after = self.kernel.multiply_tiles(state, target, *factors)
            case kc.ReduceRows():
                rows, cols = state.values((i.rows, i.cols))
                vector = row_cells(i.target.base, state.values((*i.target.lead, i.target.shift)), rows)
                target = self._found(state, Operation.REDUCE_ROWS, vector, FULL)
                source = tile_cells(state.tile(i.source), rows, cols)
                after = self.kernel.reduce_rows(state, target, self._found(state, Operation.REDUCE_ROWS, source, "any"))
            case kc.CopyTile():
                rows, cols = state.values((i.rows, i.cols))
                target = self._found(state, Operation.COPY, tile_cells(state.tile(i.target), rows, cols), FULL)
                inner = tile_cells(state.tile(i.source), rows, cols)
                inner = replace(inner, where=within_sizes(inner, state.values(i.sizes)))
                after = self.kernel.copy_tile(state, target, self._found(state, Operation.COPY, inner, "any"))
        return self.kernel.tidy(after, target.family)

    def _found(self, state: State, operation: Operation, cells: Cells, share: str) -> Found:
        families = self.cells.candidates(dict(state.held), cells.base, share)
        n, maps = self.cells.home(state, cells, families) if families else (0, None)
        if maps is None:
            raise Rejected(MissingPermission(operation, cells.base, need=cells, facts=state.facts))
        forward, back = maps
        return Found(n, forward, back if share == FULL else ())
