"""Inlining a function whose loops have contracts: what mentions its logical variables is left out, and inferred at the call."""

from __future__ import annotations

from pathlib import Path

import pytest

import optigpu as og
from optigpu.script.step_errors import StepError
from optigpu.syntax.program import For, Function
from optigpu.syntax.walk import statements
from tests.conftest import ROOT

TREE = ROOT / "examples" / "thesis" / "tree_reduction.c"
CALLER = """#include <optigpu.h>
void f(float b[8]) {
  __requires("A: int -> float");
  __consumes("b ~> Matrix1(8, A)");
  __produces("&b[0] ~~> Sum(j in 0..8, A(j) + A(j)), for t in 1..8 -> &b[t] ~> Cell");
  for (int t = 0; t < 8; t++) {
    b[t] = 2.0f * b[t];
  }
  tree_reduction(LOG, b);
}
"""


def script_of(tmp_path: Path, size: int) -> og.Script:
    """The caller, with the function that it calls in front."""
    path = tmp_path / "caller.c"
    path.write_text(TREE.read_text() + CALLER.replace("#include <optigpu.h>\n", "").replace("LOG", str(size)))
    return og.Script(str(path))


def loops_of(f: Function) -> list[For]:
    return [s for s in statements(f.body) if isinstance(s, For)]


def test_contracts_of_inlined_loops_are_inferred_again(tmp_path: Path) -> None:
    s = script_of(tmp_path, 3)
    s.function.inline("tree_reduction")
    callee, caller = s.program.functions()
    assert any(loop.contract for loop in loops_of(callee))
    assert len(loops_of(caller)) == 3 and not any(loop.contract for loop in loops_of(caller))
    assert s.steps[-1].result is not None and s.steps[-1].result.verified


def test_a_call_that_leaves_a_half_out_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(StepError):
        script_of(tmp_path, 2)
