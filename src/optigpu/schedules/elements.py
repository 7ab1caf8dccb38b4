"""A thread for each element of the result: right for every program, and the start of a schedule that is fast."""

from __future__ import annotations

from optigpu.script.transformation import transformation
from optigpu.transform.registry import TransformSession

THREADS = 128


@transformation
def elements(s: TransformSession, *loops: str, threads: int = THREADS, outer: str = "block") -> None:
    """A kernel of nested loops whose iterations do not depend on each other: a thread runs one iteration of the innermost one."""
    *grid, last = loops
    s.loop.tile(last, threads, outer=outer, tail="guard")
    s.gpu.launch(grid=[*grid, outer], block=[last])
