"""Loop nests that tensor cores compute: `#pragma tensor_cores tf32` before a loop of 8 x 2 x 2 multiply-adds of one thread.

    #pragma tensor_cores tf32
    for (int k = 0; k < 8; k++)
      for (int h = 0; h < 2; h++)
        for (int e = 0; e < 2; e++)
          acc[…][h][e] += left(g, h, k) * right(k, t, e);

Thread 4g + t of a warp adds to the elements (8h + g, 2t + e) of a product of 16 x 8 x 8: this is how the hardware divides such a
product among the threads of a warp. The pragma does not change what the nest means. Code generation checks what the instruction
needs (codegen/cuda/tensor_cores.py).
"""

from __future__ import annotations

from optigpu.light_dataclass import dataclass
from optigpu.syntax.exprs import Binary, Expr, Index, Int, Var
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.program import Assert, Body, For, Ghost, GhostEnd, Mode, Store
from optigpu.syntax.walk import reads_memory

TENSOR_HINT = "tensor_cores"
PRECISIONS = ("tf32", "tf32x3")  # of a product of floats; tf32x3 has nearly that of floats, by three products
TILE = (
    "tile"  # in place of a precision: a product of tiles, which `gpu.launch` makes a call (transform/gpu/tile_nests.py)
)
DEPTH, ROWS, COLS = 8, 2, 2  # summands, rows and columns of a thread
GROUPS, LANES = 8, 4  # thread 4g + t of a warp: g < GROUPS, t < LANES


@dataclass(frozen=True, slots=True)
class TensorNest:
    """The loops over summands, rows and columns; what is added to; the factor of the row, and the one of the column."""

    depth: str
    row: str
    col: str
    target: Index
    left: Index
    right: Index


def precision_of(loop: For) -> str | None:
    """The precision that the hint of a loop names, or None if it has no such hint."""
    named = next((h.split()[1] for h in loop.hints if h.startswith(TENSOR_HINT)), None)
    return named if named in PRECISIONS else None


def tensor_nest(loop: For) -> TensorNest | str:
    """The nest under a loop, or what is wrong with it."""
    loops = [loop]
    while len(body := executed(loops[-1].body)) == 1 and isinstance(inner := body[0], For):
        loops.append(inner)
    counts = [_count(x) for x in loops]
    if sorted(c or 0 for c in counts) != sorted((DEPTH, ROWS, COLS)):
        return f"it is no nest of three loops that count to {DEPTH}, {ROWS} and {COLS}"
    depth = loops[counts.index(DEPTH)].index
    two = [x.index for x in loops if x.index != depth]
    match executed(loops[-1].body):
        case (Store(Index(_, indices) as target, Binary("*", Index() as x, Index() as y), "+"),):
            pass
        case _:
            return "its body is not `sum[…][h][e] += x * y`, with elements x and y of two arrays"
    for row, col in (tuple(two), tuple(reversed(two))):
        for left, right in ((x, y), (y, x)):
            if {row, depth} <= free_vars(left) and {col, depth} <= free_vars(right):
                if col in free_vars(left) or row in free_vars(right):
                    continue
                if not _is_element(indices, row, col, depth):
                    return f"what it adds to is not an element [{row}][{col}] of registers"
                return TensorNest(depth, row, col, target, left, right)
    return "its factors do not depend on rows and summands, and on summands and columns"


def executed(body: Body) -> Body:
    """A body without the steps of proofs."""
    return tuple(s for s in body if not isinstance(s, Ghost | GhostEnd | Assert))


def _count(loop: For) -> int | None:
    r = loop.range
    plain = (
        loop.mode is Mode.SEQUENTIAL and r.start == Int(0) and r.relation == "<" and r.op == "+" and r.amount == Int(1)
    )
    return r.bound.value if plain and isinstance(r.bound, Int) else None


def _is_element(indices: tuple[Expr, ...], row: str, col: str, depth: str) -> bool:
    """Is one index the row, one the column, and no other dependent on them, or on memory, which includes the sums? Then these are
    four different elements, the same ones in all iterations."""
    others = [i for i in indices if i not in (Var(row), Var(col))]
    plain = indices.count(Var(row)) == 1 and indices.count(Var(col)) == 1
    return plain and not any({row, col, depth} & free_vars(i) or reads_memory(i) for i in others)
