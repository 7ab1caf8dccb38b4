"""A proof may write pending reads in another way. Reads of magic loops stay pending however they are written."""

from __future__ import annotations

from typing import Any

import pytest

from optigpu.check import proof_attempt
from optigpu.check.recorded_proof import RecordingKernel
from optigpu.check.verify import Verifier
from optigpu.frontend import parse_text
from optigpu.kernel import State
from optigpu.kernel.context import NOWHERE, PendingRead
from optigpu.kernel.loop_contract import Cover
from optigpu.logic import terms as k
from optigpu.logic.cells import Cells, Owner, arguments
from tests.support.cases import ROOT

FILE = ROOT / "tests" / "cases" / "gpu_default_memory" / "magic_loops_of_a_thread.c"
BARRIER = "magic_barrier(); // read"


class HidingKernel(RecordingKernel):
    """Says of each read by the thread that is in no group that the reader w is one with NOWHERE <= w < NOWHERE + 1."""

    hidden = 0

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        leave = self.leave_loop

        def leave_hiding(end: State, *rest: Any) -> State:
            while places := [i for i, r in enumerate(end.pending_reads) if NOWHERE in r.reader.start.free]:
                read = end.pending_reads[places[0]]
                cells, n = read.cells, read.cells.arity
                one = (NOWHERE, k.add(NOWHERE, k.ONE))
                wider = Cells(cells.base, (one, *cells.ranges), cells.where, cells.index)
                hidden = PendingRead(read.family, wider, Owner(k.bound(n, k.INT), k.ONE))
                end = self.forget(end, places[0], hidden, Cover(0, (NOWHERE, *arguments(n))))
                HidingKernel.hidden += 1
            return leave(end, *rest)

        vars(self)["leave_loop"] = leave_hiding


def test_reads_of_nobody_stay_pending(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "#include <optigpu.h>\n" + FILE.read_text(encoding="utf-8").split("\n\n", 1)[1]
    assert BARRIER in text
    monkeypatch.setattr(proof_attempt, "RecordingKernel", HidingKernel)
    assert Verifier().verify(parse_text(text)).verified and HidingKernel.hidden
    (rejected,) = Verifier().verify(parse_text(text.replace(BARRIER, ""))).failures
    assert rejected.problem is not None and rejected.problem.code == "OG342"
