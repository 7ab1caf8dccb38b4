"""The proof of one function: run the executor, and give up promises that hold over the reals alone where floats are left open."""

from __future__ import annotations

from collections.abc import Callable

from optigpu.check.recorded_proof import RecordingKernel
from optigpu.check.remembered_loops import LoopReplay, RememberedLoops
from optigpu.elaborate.elaborated import Elaborated
from optigpu.elaborate.weakening import closed_name, weakened
from optigpu.kernel import Judge, Ledger, Theorem
from optigpu.kernel import instructions as kc
from optigpu.kernel.causes import Operation, UnprovedFact, WrongValue
from optigpu.search.content_names import ContentNames, Nameless
from optigpu.search.execute import Executor, FoundEarlier
from optigpu.search.failure import Failed
from optigpu.search.proof_states import ProofStates
from optigpu.search.watch import Watch


class ProofAttempt:
    """`left_out` collects the promises that the function is proved without. `points`: keep the states of the proof.

    `nameless`: what gets no name, as far as is known from earlier proofs of the function. `refuted`: is an input known on which the
    function misbehaves? Then no other attempt would succeed. `loops`: proofs of loops that may be used again, if any.
    """

    def __init__(
        self,
        judge: Judge,
        elaborated: Elaborated,
        ledger: Ledger,
        f: kc.Procedure,
        found: FoundEarlier,
        points: bool,
        nameless: Nameless,
        watch: Watch,
        loops: RememberedLoops | None,
        refuted: Callable[[], bool],
    ) -> None:
        self.judge, self.elaborated, self.ledger, self.f = judge, elaborated, ledger, f
        self.found, self.watch, self.loops = found, watch, loops
        self.left_out: list[tuple[str, str, int]] = []
        self.keeps_points = points and f.name == closed_name(f.name)
        self.nameless, self.refuted = nameless, refuted
        self.reuse = True  # prove loops as earlier proofs did
        self.replay: LoopReplay | None = None
        self.kernel, self.executor = self._restarted()

    def _restarted(self) -> tuple[RecordingKernel, Executor]:
        kernel = RecordingKernel(self.judge, self.elaborated.program, self.ledger)
        names = ContentNames(kernel, self.nameless)
        executor = Executor(kernel, self.elaborated, self.found, names, self.watch)
        if self.keeps_points:
            executor.states = ProofStates(self.elaborated.statements, self.f.body)
        elif self.loops is not None:
            executor.loops.replay = self.replay = LoopReplay(kernel, self.elaborated, self.loops, self.reuse)
        return kernel, executor

    def run(self) -> Theorem:
        """The theorem of the function. Raises Failed if a rule was rejected."""
        while True:
            try:
                return self.executor.verify(self.f.name)
            except Failed as failure:
                if self.replay is not None and self.replay.reused:
                    self.reuse = False  # a contract that was enough there may say too little here
                    self.kernel, self.executor = self._restarted()
                    continue
                if self.nameless.extended(self.executor.progress.state, failure.cause) and not self._is_wrong(failure):
                    self.kernel, self.executor = self._restarted()
                    continue
                promise = failed_promise(failure, self.f)
                if self.f.name == closed_name(self.f.name) or promise is None or promise in self.left_out:
                    raise
                self.left_out.append(promise)  # proved over the reals; with floats left open the function promises less
                self.elaborated.program.functions[self.f.name] = weakened(self.f, frozenset(self.left_out))
                self.kernel, self.executor = self._restarted()

    def _is_wrong(self, failure: Failed) -> bool:
        """Is what the function promises at its end not what it does? Elsewhere a name may be what makes a rule fail: then another
        attempt finds the place that is wrong."""
        promised = self.f.name == closed_name(self.f.name) and failed_promise(failure, self.f) is not None
        return promised and self.refuted()


def failed_promise(failure: Failed, f: kc.Procedure) -> tuple[str, str, int] | None:
    """The promise about results that a function with floats left open does not keep: it is safe without it.

    Assertions are numbered in the function as it was before any was left out, as `weakened` counts them.
    """
    match failure.cause:
        case UnprovedFact(operation=Operation.ENSURES) | WrongValue(operation=Operation.POST) if failure.clause:
            return f.name, *failure.clause
        case UnprovedFact(operation=Operation.ASSERT):
            numbers = [i.at for i in kc.instructions_in(f.body) if isinstance(i, kc.Assertion)]
            return f.name, "assert", numbers.index(failure.at)
        case _:
            return None
