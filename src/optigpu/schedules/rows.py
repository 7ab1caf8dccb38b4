"""Rows that a block reduces and writes: sums and maxima of each row by all threads of a block, then the elements of the row."""

from __future__ import annotations

from collections.abc import Sequence

from optigpu.schedules.nest_reading import elements_of
from optigpu.schedules.new_names import NewNames
from optigpu.schedules.required_names import require_in_nest, require_powers_of_two
from optigpu.schedules.row_loops import length_of, one_result_each, row_sizes, spread, start_at_element, without_guards
from optigpu.script.targets import For, TargetLike, Write
from optigpu.script.transformation import transformation
from optigpu.syntax.exprs import Expr
from optigpu.transform.loop.loop_targets import loop_at
from optigpu.transform.registry import TransformSession
from optigpu.transform.tools.refusal import refuse
from optigpu.transform.tools.simplified import value_of
from optigpu.transform.tools.unknown_names import no_such_name


@transformation
def rows(
    s: TransformSession,
    *grid: str,
    loop: str,
    reductions: Sequence[str],
    outputs: Sequence[str] = (),
    inputs: Sequence[str] = (),
    online: bool = False,
    threads: int = 256,
    vector: int = 1,
    in_flight: int = 4,
) -> None:
    """A kernel with a block for each iteration of the loops `grid`: its loops over `loop` are divided among the threads.

    `reductions` are the variables that such loops sum up (or take the maximum or minimum in), in their order; `outputs` the arrays
    that such loops write. With `online`, they are a maximum and a sum of exponentials relative to it, computed in one pass. Of
    `inputs`, arrays that these loops read, a thread loads `in_flight` groups of `vector` adjacent elements before it uses them.
    Vectors need aligned rows: others are read element by element.

    Before:
        for (int i = 0; i < h; i++) {
          float sum = 0.0f;
          for (int j = 0; j < w; j++) {
            sum += x[i][j];
          }
          y[i] = sum;
        }
    Step: schedules.rows(s, "i", loop="j", reductions=["sum"], inputs=["x"], vector=4)
    After: a kernel with a block for each row, whose threads load `float4` and combine their sums by a tree, for any size.

    Needs: in the loops `grid`, loops over `loop` that compute `reductions` and `outputs`.
    Fails: when a loop uses what a later one computes.
    """
    require_in_nest(s, grid, loop, (*reductions, *outputs))
    require_powers_of_two(threads=threads, vector=vector)
    if not reductions:
        raise refuse("name the variables that are reduced", help='reductions=["sum"]', code="OG604")
    if online and len(reductions) != 2:
        message = "online=True is for a maximum and a sum of exponentials relative to it"
        raise refuse(message, help='reductions=["best", "total"]', code="OG604")
    one_result_each(s, loop, (*reductions, *outputs))
    for var in reductions:
        start_at_element(s, loop, var)
    loops = [For(loop, body=Write(result)).first for result in (*reductions, *outputs)]
    sizes, new = (length_of(s, loops[-1]), *row_sizes(s, loops)), NewNames(s, loops[0])
    for var in (*reductions, *outputs):
        over = For(loop, body=Write(var)).first
        if value_of(loop_at(s, over)[1].range.start) != 0:
            s.loop.widen_range(over, 0)
        spread(s, new, loop, Write(var).first, threads=threads, vector=vector, in_flight=in_flight)
    copies = _read_early(s, new, reductions, outputs, inputs, sizes, vector)
    if online:
        best, total = reductions
        s.reduce.online(total, levels=2)
        names = {"parts": new[f"{total}_parts"], "maxima": new[f"{best}_own"], "tops": new[f"{best}_parts"]}
        s.reduce.online_parts(For(new.t, body=Write(total)), var=total, **names)
        copies = [(result, name) for result, name in copies if result != total]
    else:
        for var in reductions:
            s.reduce.parts(For(new.t, body=Write(var)), var=var, parts=new[f"{var}_parts"])
    for var in reductions:
        s.reduce.tree(For(new.t, body=Write(var)))
    registers = {new[f"{reductions[0]}_own"]: 1} if online else {}
    s.gpu.launch(grid=grid, block=[new.t], shared=[new[f"{var}_parts"] for var in reductions], registers=registers)
    if vector > 1:
        for _, name in copies:
            s.gpu.vectorize(For(new.lane, body=Write(name)).first)
        for output in outputs:
            s.gpu.vectorize(For(new.lane, body=Write(f"d_{output}")).first)


def _read_early(
    s: TransformSession,
    new: NewNames,
    reductions: Sequence[str],
    outputs: Sequence[str],
    inputs: Sequence[str],
    sizes: Sequence[Expr],
    vector: int,
) -> list[tuple[str, str]]:
    """Let each thread load elements of the inputs before it uses them, where they are read. Returns the results that they are for,
    with the names of these elements."""
    copies: list[tuple[str, str]] = []
    found: set[str] = set()
    for result in (*reductions, *outputs):
        strip = For(new.strip, body=Write(result))
        read = {e.array for e in elements_of(s, strip)}
        at: TargetLike = strip
        if result in outputs and inputs:
            at = without_guards(s, strip, sizes, vector)
        for array in inputs:
            if array in read:
                name = new[f"{result}_{array}"]
                copies.append((result, name))
                s.matrix.stage(array, at=at, name=name)
                if result in reductions:
                    without_guards(s, For(new.strip, body=Write(name)), sizes, vector)
        found |= read
    if unread := [array for array in inputs if array not in found]:
        raise no_such_name(
            f"`{unread[0]}` is read by none of these loops", unread[0], sorted(found - {*reductions, *outputs})
        )
    return copies
