"""Columns that are normalised: sums over a dimension that is not the last one, then the elements, as norms of channels are."""

from __future__ import annotations

from collections.abc import Sequence

from optigpu.schedules.elements import elements
from optigpu.schedules.held_rows import distinct_loops, held_copy
from optigpu.schedules.required_names import require_in_nest
from optigpu.schedules.row_loops import length_of, one_result_each
from optigpu.script.targets import For, Write
from optigpu.script.transformation import transformation
from optigpu.syntax.exprs import Binary
from optigpu.transform.registry import TransformSession
from optigpu.transform.tools.simplified import lit, value_of

MOST = 64  # elements that a thread holds in registers


@transformation
def column_norm(
    s: TransformSession,
    *grid: str,
    loop: str,
    reductions: Sequence[str],
    outputs: Sequence[str],
    inputs: Sequence[str],
    most: int = MOST,
    threads: int = 128,
    versions: bool = True,
) -> None:
    """A kernel with a thread for each iteration of `grid`, which reduces a column of elements and then writes it. Adjacent threads
    have adjacent columns.

    Columns of at most `most` elements stay in the registers of their thread, all of whose loads are then under way at once; longer
    ones are read once for each loop. `reductions` are the variables that loops over `loop` sum up (or take the maximum or minimum
    in), `outputs` the arrays that such loops write, `inputs` those that several of these loops read.
    Without `versions`, no column is kept.

    Before:
        for (int p = 0; p < n; p++) {
          float squares = 0.0f;
          for (int c = 0; c < channels; c++) {
            squares += x[c][p] * x[c][p];
          }
          for (int c = 0; c < channels; c++) {
            y[c][p] = x[c][p] / sqrtf(squares);
          }
        }
    Step: schedules.column_norm(s, "p", loop="c", reductions=["squares"], outputs=["y"], inputs=["x"])
    After: a version of the function for `channels <= 64`, whose threads have `float x_row[64]`, and one for all others.

    Needs: in the loops `grid`, loops over `loop` that compute `reductions` and `outputs`, with the same number of iterations.
    Fails: when a loop uses what a later one computes.
    """
    results = (*reductions, *outputs)
    require_in_nest(s, grid, loop, results)
    one_result_each(s, loop, results)
    length = length_of(s, distinct_loops(s, loop, results)[-1])
    number = value_of(length)
    if number is not None and number <= most:
        _held_columns(s, grid, loop, results, inputs, most, threads)
    elif number is not None or not versions:
        elements(s, *grid, threads=threads)
    else:
        short, long = s.function.versions(Binary("<=", length, lit(most)))
        with s.inside(short):
            _held_columns(s, grid, loop, results, inputs, most, threads)
        with s.inside(long):
            elements(s, *grid, threads=threads)
    s.gpu.stay_on_device()


def _held_columns(
    s: TransformSession,
    grid: Sequence[str],
    loop: str,
    results: Sequence[str],
    inputs: Sequence[str],
    most: int,
    threads: int,
) -> None:
    loops = distinct_loops(s, loop, results)
    for array in inputs:
        name = held_copy(s, array, loop, loops, most)
        s.loop.unroll_hint(For(loop, body=Write(name)))
    for over in loops:
        s.loop.extend_range(over, most)
        s.loop.unroll_hint(over)
    elements(s, *grid, threads=threads)
