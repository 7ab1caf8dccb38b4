"""Rows that are normalised: sums and maxima of a row, then its elements, such as softmax, layer norm and RMS norm."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext

from optigpu.schedules.held_rows import HeldRows, held_rows, require_possible
from optigpu.schedules.required_names import require_in_nest
from optigpu.schedules.row_loops import length_of, one_result_each, row_sizes, start_at_element
from optigpu.schedules.rows import rows
from optigpu.script.handles import IfBranch
from optigpu.script.targets import For, Write
from optigpu.script.transformation import transformation
from optigpu.transform.registry import TransformSession

VECTOR = 4
HELD = (
    HeldRows(1024, 128),
    HeldRows(4096, 256),
    HeldRows(16384, 512),
    HeldRows(1024, 128, vector=1),
    HeldRows(8192, 512, vector=1),
)


@transformation
def row_norm(
    s: TransformSession,
    *grid: str,
    loop: str,
    reductions: Sequence[str],
    outputs: Sequence[str],
    inputs: Sequence[str],
    online: bool = False,
    held: Sequence[HeldRows] = HELD,
    threads: int = 512,
    versions: bool = True,
) -> None:
    """Kernels of loops `grid` over rows, whose loops over `loop` reduce each row and then write it; rows of any length.

    Rows of a length that one of `held` fits stay in the registers of a block, or in shared memory
    (`HeldRows(49152, 1024, shared=True)`): memory is read once and written once. Longer rows are read several times. `reductions`
    are the variables that such loops sum up (or take the maximum or minimum in), in their order; with `online`, a maximum and a
    sum of exponentials relative to it, which one pass over a longer row computes. `outputs` are the arrays that such loops write,
    `inputs` those that several of these loops read. Without `versions`, one kernel reads rows of all lengths several times.

    Before:
        for (int i = 0; i < h; i++) {
          float sum = 0.0f;
          for (int j = 0; j < w; j++) {
            sum += x[i][j] * x[i][j];
          }
          for (int j = 0; j < w; j++) {
            y[i][j] = x[i][j] / sqrtf(sum);
          }
        }
    Step: schedules.row_norm(s, "i", loop="j", reductions=["sum"], outputs=["y"], inputs=["x"])
    After: a version of the function for each of `held`, such as `w <= 1024 && w % 4 == 0`, and one for all other rows.

    Needs: in the loops `grid`, loops over `loop` that compute `reductions` and `outputs`, with the same number of iterations.
    Fails: when a loop uses what a later one computes.
    """
    require_in_nest(s, grid, loop, (*reductions, *outputs))
    require_possible(held)
    one_result_each(s, loop, (*reductions, *outputs))
    for var in reductions:
        start_at_element(s, loop, var)
    loops = [For(loop, body=Write(result)).first for result in (*reductions, *outputs)]
    length, sizes = length_of(s, loops[-1]), row_sizes(s, loops)
    rest: IfBranch | None = None
    for form in held:
        test = form.fits(s, length, sizes)
        if test is False or not (versions or test is True):
            continue
        here = rest
        if test is not True:
            here, rest = s.function.versions(test, at=rest)
        with nullcontext() if here is None else s.inside(here):
            held_rows(s, grid, loop=loop, reductions=reductions, outputs=outputs, inputs=inputs, form=form)
        if test is True:
            return
    with nullcontext() if rest is None else s.inside(rest):
        rows(
            s,
            *grid,
            loop=loop,
            reductions=reductions,
            outputs=outputs,
            inputs=inputs,
            online=online,
            vector=VECTOR,
            threads=threads,
        )
    s.gpu.stay_on_device()
