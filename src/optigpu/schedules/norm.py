"""Rows that are normalised by mean and variance: kernels that sum up parts of rows, finish the sums, and write the elements."""

from __future__ import annotations

from collections.abc import Sequence

from optigpu.schedules.new_names import NewNames
from optigpu.schedules.row_loops import length_of, row_sizes, spread, without_guards
from optigpu.script.targets import Decl, For, Target, Write
from optigpu.script.transformation import transformation
from optigpu.syntax import program
from optigpu.transform.registry import TransformSession

VECTOR = 4  # elements of a vector access
FEW = 32  # threads of a block that finishes sums
FINISH = 16  # sums of parts that such a thread loads before it adds them


@transformation
def norm(
    s: TransformSession,
    *rows: str,
    loop: str,
    sum: str,
    squares: str,
    input: str,
    output: str,
    part: str | None = None,
    size: int = 16384,
    threads: int = 256,
    in_flight: int = 4,
) -> None:
    """Kernels of loops `rows` whose bodies sum up elements, then squared deviations from their mean, and write `output`.

    The first kernel reads the elements once and leaves sums of parts of rows: of the iterations of the loop `part` around `loop`,
    or of `size` iterations of `loop`. So a few long rows keep all multiprocessors busy. The second one adds these up, and the
    third one writes the elements.
    """
    loops = [For(loop, body=Write(result)) for result in (sum, squares, output)]
    sizes, new = (length_of(s, loops[0]), *row_sizes(s, loops)), NewNames(s, loops[0])
    s.reduce.moments(squares)
    first = s.at(s.find(Decl("shift")))
    assert isinstance(first, program.Decl) and first.init is not None, "reduce.moments declares it"
    s.variable.inline("shift")
    outer = [*rows] if part is None else [*rows, part]  # around `loop`
    if part is None:
        part = new.part
        s.loop.tile(For(loop, body=Write(sum)), size, outer=part, tail="guard")
    variables = (sum, squares)
    _in_three(s, new, rows, part, For((*outer, loop)[len(rows)], body=Write(output)), variables)

    own = Write(new[f"{sum}_own"]).first
    spread(s, new, loop, own, threads=threads, vector=VECTOR, in_flight=in_flight)
    for var in variables:
        mine = new[f"{var}_own"]
        s.reduce.parts(For(new.t, body=Write(mine)), var=mine, parts=new[f"{var}_shares"], part=new[f"{var}_share"])
    for var in variables:
        s.reduce.tree(For(new.t, body=Write(new[f"{var}_own"])))
    s.variable.bind(Decl("d"), "shift", first.init)
    s.loop.move_out("shift", levels=4)
    s.matrix.stage(input, at=For(new.strip), name=new.loaded)
    without_guards(s, For(new.strip, body=Write(new.loaded)), sizes, VECTOR)

    elements = For(loop, body=Write(output))
    s.loop.tile(elements, VECTOR * threads, outer=new.piece, tail="guard")
    s.loop.tile(elements, VECTOR, outer=new.t)
    aligned = without_guards(s, elements, sizes, VECTOR)

    _launched(s, new, rows, part, variables, For(rows[0], body=Write(output)), [*outer, new.piece])
    s.gpu.stay_on_device()
    s.gpu.vectorize(For(new.lane, body=Write(new.loaded)).first)
    s.gpu.vectorize(aligned)


def _in_three(
    s: TransformSession, new: NewNames, rows: Sequence[str], part: str, elements: Target, variables: Sequence[str]
) -> None:
    """Divide the loops over rows: into sums of parts of rows, what is computed of them, and the loop over elements."""
    for var in variables:
        s.reduce.parts(For(part).first, var=var, parts=new[f"{var}_parts"], part=new[f"{var}_own"])
    for var in variables:
        s.loop.hoist(new[f"{var}_parts"], levels=len(rows))
        s.instr.move(Decl(var), after=For(part).first)
    s.loop.unroll_hint(s.loop.fusion(For(part).nth(1)), FINISH)
    s.loop.fission(after=For(part).first, levels=len(rows))
    s.loop.fission(before=elements, levels=len(rows))


def _launched(
    s: TransformSession,
    new: NewNames,
    rows: Sequence[str],
    part: str,
    variables: Sequence[str],
    elements: Target,
    grid: Sequence[str],
) -> None:
    """The three kernels; the last one runs the loop nest `elements` in a grid of its own."""
    finish = Decl(variables[0])
    s.loop.tile(For(rows[-1], body=finish), FEW, outer=new.few, tail="guard")
    s.gpu.launch(
        at=For(rows[0]).first, grid=[*rows, part], block=[new.t], shared=[new[f"{var}_shares"] for var in variables]
    )
    s.gpu.launch(
        at=For(rows[0] if len(rows) > 1 else new.few, body=finish), grid=[*rows[:-1], new.few], block=[rows[-1]]
    )
    s.gpu.launch(at=elements, grid=grid, block=[new.t])
