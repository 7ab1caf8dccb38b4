"""OpenMP: how parallel loops are run."""

from __future__ import annotations

from dataclasses import replace

from optigpu.script.targets import TargetLike
from optigpu.script.transformation import TransformGroup, transformation
from optigpu.syntax.program import For, Mode
from optigpu.transform.loop_nests import hinted, refuse

SCHEDULES = ("static", "dynamic", "guided")


class OpenMPTransforms(TransformGroup):
    name = "omp"

    @transformation
    def schedule(self, target: TargetLike, kind: str, chunk: int | None = None) -> None:
        """How the iterations of a parallel loop are given to threads: static, dynamic or guided.

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

        Needs: a parallel loop. Fails: never; it changes nothing that can be observed.
        """
        if kind not in SCHEDULES:
            raise refuse(f'the schedule "{kind}" is not known', help=f"one of {', '.join(SCHEDULES)}", code="OG604")
        if chunk is not None and chunk < 1:
            raise refuse("a chunk has at least one iteration", code="OG604")
        self._hint(target, "schedule(", f"schedule({kind}{'' if chunk is None else f',{chunk}'})")

    @transformation
    def num_threads(self, target: TargetLike, count: int) -> None:
        """How many threads run a parallel loop.

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

        Needs: a parallel loop. Fails: never; it changes nothing that can be observed.
        """
        if count < 1:
            raise refuse("at least one thread is needed", code="OG604")
        self._hint(target, "num_threads(", f"num_threads({count})")

    @transformation
    def sequential(self, target: TargetLike) -> None:
        """Run a parallel loop sequentially again.

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
        place = self.session.find(target, "for")
        loop = self._parallel(target)
        self.session.put(place, replace(loop, mode=Mode.SEQUENTIAL, hints=tuple(h for h in loop.hints if "(" not in h)))

    def _parallel(self, target: TargetLike) -> For:
        loop = self.session.at(target, "for")
        if not isinstance(loop, For) or loop.mode is not Mode.PARALLEL:
            raise refuse("this is not a parallel loop", loop, "s.loop.parallel makes it one")
        return loop

    def _hint(self, target: TargetLike, stem: str, hint: str) -> None:
        place = self.session.find(target, "for")
        loop = self._parallel(target)
        self.session.put(place, hinted(loop, stem, hint))
