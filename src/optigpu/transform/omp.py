"""Parallel loops: `loop.parallel` and `loop.simd`, and how OpenMP runs them, `s.omp`."""

from __future__ import annotations

from optigpu.light_dataclass import replace
from optigpu.script.handles import Handle
from optigpu.script.session import Session
from optigpu.script.targets import TargetLike
from optigpu.script.transformation import transformation
from optigpu.syntax.program import For, Mode
from optigpu.transform.loop.loop_targets import loop_at, loops_at
from optigpu.transform.tools.counted_loops import hinted
from optigpu.transform.tools.refusal import refuse

SCHEDULES = ("static", "dynamic", "guided")


@transformation
def parallel(session: Session, target: TargetLike) -> Handle:
    """Run the iterations of a loop in parallel (`#pragma omp parallel for`).

    Before:
        for (int i = 0; i < n; i++) {
          a[i] = 0.0f;
        }
    Step: s.loop.parallel("i")
    After:
        #pragma omp parallel for
        for (int i = 0; i < n; i++) {
          a[i] = 0.0f;
        }

    Needs: a loop. Fails: OG324 when iterations write to the same memory.
    Returns: the loop.
    """
    path, loop = loop_at(session, target)
    session.put(path, replace(loop, mode=Mode.PARALLEL))
    return session.handle(path)


@transformation
def simd(session: Session, target: TargetLike) -> None:
    """Ask the compiler to vectorise a loop (`#pragma omp simd`).

    Before:
        for (int i = 0; i < n; i++) {
          a[i] = 0.0f;
        }
    Step: s.loop.simd("i")
    After:
        #pragma omp simd
        for (int i = 0; i < n; i++) {
          a[i] = 0.0f;
        }

    Needs: a loop with independent iterations: it is checked as if it were parallel.
    Fails: OG324 when iterations write to the same memory.
    """
    for path, loop in loops_at(session, target):
        session.put(path, hinted(loop, "simd", "simd"))


@transformation
def schedule(session: Session, target: TargetLike, kind: str, chunk: int | None = None) -> None:
    """Choose how the iterations of a parallel loop are distributed over threads: static, dynamic or guided.

    Before:
        #pragma omp parallel for
        for (int i = 0; i < n; i++) {
          a[i] = 0.0f;
        }
    Step: s.omp.schedule("i", "dynamic", 4)
    After:
        #pragma omp parallel for schedule(dynamic,4)
        for (int i = 0; i < n; i++) {
          a[i] = 0.0f;
        }

    Needs: a parallel loop. Fails: never; it has no effect on the result.
    """
    if kind not in SCHEDULES:
        raise refuse(f'the schedule "{kind}" is not known', help=f"one of {', '.join(SCHEDULES)}", code="OG604")
    if chunk is not None and chunk < 1:
        raise refuse("a chunk has at least one iteration", code="OG604")
    _hint(session, target, "schedule(", f"schedule({kind}{'' if chunk is None else f',{chunk}'})")


@transformation
def num_threads(session: Session, target: TargetLike, count: int) -> None:
    """Choose how many threads run a parallel loop.

    Before:
        #pragma omp parallel for
        for (int i = 0; i < n; i++) {
          a[i] = 0.0f;
        }
    Step: s.omp.num_threads("i", 2)
    After:
        #pragma omp parallel for num_threads(2)
        for (int i = 0; i < n; i++) {
          a[i] = 0.0f;
        }

    Needs: a parallel loop. Fails: never; it has no effect on the result.
    """
    if count < 1:
        raise refuse("at least one thread is needed", code="OG604")
    _hint(session, target, "num_threads(", f"num_threads({count})")


@transformation
def sequential(session: Session, target: TargetLike) -> None:
    """Make a parallel loop sequential again.

    Before:
        #pragma omp parallel for
        for (int i = 0; i < n; i++) {
          a[i] = 0.0f;
        }
    Step: s.omp.sequential("i")
    After:
        for (int i = 0; i < n; i++) {
          a[i] = 0.0f;
        }

    Needs: a parallel loop. Fails: never.
    """
    path = session.find(target, "for")
    loop = _parallel_loop(session, target)
    hints = tuple(h for h in loop.hints if "(" not in h)
    session.put(path, replace(loop, mode=Mode.SEQUENTIAL, hints=hints))


def _parallel_loop(session: Session, target: TargetLike) -> For:
    loop = session.at(target, "for")
    if not isinstance(loop, For) or loop.mode is not Mode.PARALLEL:
        raise refuse("this is not a parallel loop", loop, "s.loop.parallel makes it one")
    return loop


def _hint(session: Session, target: TargetLike, stem: str, hint: str) -> None:
    path = session.find(target, "for")
    session.put(path, hinted(_parallel_loop(session, target), stem, hint))
