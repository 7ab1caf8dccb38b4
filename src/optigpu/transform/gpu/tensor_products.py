"""Tensor cores: `gpu.tensor_cores` runs the innermost loops of a matrix product on them."""

from __future__ import annotations

from optigpu.script.session import Session
from optigpu.script.targets import TargetLike
from optigpu.script.transformation import transformation
from optigpu.syntax.program import CallStmt
from optigpu.syntax.tensor_nests import PRECISIONS, TENSOR_HINT, TILE, tensor_nest
from optigpu.transform.gpu.tile_nests import tile_product
from optigpu.transform.loop.loop_targets import loops_at
from optigpu.transform.tools.counted_loops import hinted
from optigpu.transform.tools.refusal import refuse


@transformation
def tensor_cores(session: Session, target: TargetLike, precision: str | None = None) -> None:
    """Compute a product on tensor cores.

    A nest of three loops `c[i][j] += a[i][k] * b[k][j]`, with tiles of `half`, `bf16` or `tf32` as factors and a fragment as sum,
    becomes `mma` in the launch of the kernel (`s.gpu.launch`, `fragments=`). The factors may be transposed.

    A product of 16 x 8 x 8 floats, of which each thread of a warp has 2 x 2 results, stays as it is: code generation emits it for
    tensor cores. There, with `tf32`, they use 10 bits of the mantissa of a factor; `tf32x3`, the default, adds two products of
    what this leaves, and is nearly as accurate as floats.

    Before:
        float sum[2][2];
        for (int k = 0; k < 8; k++) {
          for (int h = 0; h < 2; h++) {
            for (int e = 0; e < 2; e++) {
              sum[h][e] += m[8 * h][k] * m2[k][e];
            }
          }
        }
    Step: s.gpu.tensor_cores("k", "tf32")
    After:
        float sum[2][2];
        #pragma tensor_cores tf32
        for (int k = 0; k < 8; k++) {
          for (int h = 0; h < 2; h++) {
            for (int e = 0; e < 2; e++) {
              sum[h][e] += m[8 * h][k] * m2[k][e];
            }
          }
        }

    Needs: for floats, three loops of 8 summands, 2 rows and 2 columns, inside thread loops over 8 and 4 threads: thread 4g + t of
    a warp has the rows 8h + g and the columns 2t + e. The factors are in shared or global memory. It does not change the meaning of
    the program over the reals.
    Fails: OG604 when the loops are others; code generation refuses with OG408 what not all threads of a warp run alike.
    """
    if precision not in (None, *PRECISIONS):
        raise refuse(f"the precision `{precision}` is not known", help=f"{' or '.join(PRECISIONS)}", code="OG604")
    for path, loop in loops_at(session, target):
        nest = tensor_nest(loop)
        if precision is None and isinstance(nest, str) and isinstance(tile_product(loop), CallStmt):
            session.put(path, hinted(loop, TENSOR_HINT, f"{TENSOR_HINT} {TILE}"))
            continue
        if isinstance(nest, str):
            raise refuse(f"the loop over `{loop.index}` cannot run on tensor cores: {nest}", loop, code="OG604")
        session.put(path, hinted(loop, TENSOR_HINT, f"{TENSOR_HINT} {precision or PRECISIONS[-1]}"))
