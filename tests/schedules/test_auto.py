"""`schedules.auto`: what it picks for each of a hundred operators, that it works, and what it says where nothing fits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import optigpu as og
from optigpu.check.verdict import ProgramResult
from optigpu.check.verify import Verifier
from optigpu.frontend import parse_text
from optigpu.schedules import auto
from optigpu.schedules.auto import proposed
from optigpu.schedules.proposals import Proposal
from optigpu.syntax.diagnostic import InputError
from optigpu.syntax.program import Program
from optigpu.transform.registry import TransformSession
from tests.conftest import ROOT

PROGRAMS = sorted((ROOT / "examples" / "kernelbench").glob("*.c"))
# The second loop reads what the first one writes.
TWO_LOOPS = """#include <optigpu.h>
void two(int m, int n, int p, float a[m][p], float b[p][n], float t[m][n], float c[m][n]) {
  __requires("A: int * int -> float, B: int * int -> float");
  __reads("a ~> Matrix2(m, p, A), b ~> Matrix2(p, n, B)");
  __writes("t ~> Matrix2(m, n, fun i j -> Sum(k in 0..p, A(i, k) * B(k, j)))");
  __writes("c ~> Matrix2(m, n, fun i j -> 2 * Sum(k in 0..p, A(i, k) * B(k, j)))");
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < n; j++) {
      float sum = 0.0f;
      for (int k = 0; k < p; k++) sum += a[i][k] * b[k][j];
      t[i][j] = sum;
    }
  }
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < n; j++) c[i][j] = 2.0f * t[i][j];
  }
}
"""


class Unasked(Verifier):
    """A verifier that proves nothing: proposals are read from a program as it is written."""

    def verify(self, program: Program, only: Any = None) -> ProgramResult:
        return ProgramResult("none", [], [], [], "")


def session(path: Path) -> TransformSession:
    return TransformSession(path, verifier=Unasked())


def test_what_is_proposed_for_each_operator(golden: Any) -> None:
    lines = []
    for path in PROGRAMS:
        answers = proposed(session(path))
        chosen = next((str(x) for x in answers if isinstance(x, Proposal)), "a schedule for each loop, or none")
        lines.append(f"{path.stem}: {chosen}")
    assert len(lines) == 100
    golden(ROOT / "tests" / "golden" / "auto.txt", "\n".join(lines) + "\n")


def test_each_schedule_says_why_it_does_not_fit() -> None:
    for path in PROGRAMS:
        for answer in proposed(session(path)):
            assert isinstance(answer, Proposal) or (answer.why and not answer.why.endswith("."))


def test_what_was_chosen_is_the_step_that_a_script_would_have() -> None:
    s = og.Script(ROOT / "examples" / "kernelbench" / "051_argmax.c")
    choice = auto(s, threads=64)
    assert str(choice) == 'elements(s, "n", "j", threads=64)'
    assert [x.title for x in s.steps[1:]] == ['elements("n", "j", threads=64)'] and s.result.verified
    assert "matmul" in [x.schedule for x in choice.passed_over]


SCALED_TWICE = """#include <optigpu.h>
void twice(int n, float a[n], float b[n], float c[n]) {
  __requires("A: int -> float");
  __reads("a ~> Matrix1(n, A)");
  __writes("b ~> Matrix1(n, fun i -> 2 * A(i)), c ~> Matrix1(n, fun i -> 6 * A(i))");
  for (int i = 0; i < n; i++) b[i] = 2.0f * a[i];
  for (int i = 0; i < n; i++) c[i] = 3.0f * b[i];
}
"""


def test_each_loop_gets_a_kernel_and_data_stays_on_the_device() -> None:
    s = og.Script(parse_text(SCALED_TWICE, "twice.c"))
    assert len(auto(s).proposals) == 2
    assert s.text().count("kernel_launch(") == 2 and s.text().count("memcpy_host_to_device") == 1
    twice = s.built_cuda().function(standin=True)
    for n in (0, 1, 1000, 1025):
        a = np.arange(n, dtype=np.float32)
        b, c = np.full(n, np.nan, np.float32), np.full(n, np.nan, np.float32)
        twice(a=a, b=b, c=c)
        assert (b == 2 * a).all() and (c == 6 * a).all()


@pytest.mark.slow
def test_each_loop_gets_a_schedule_of_its_own() -> None:
    s = og.Script(parse_text(TWO_LOOPS, "two.c"))
    first, second = auto(s).proposals
    assert (
        str(first).startswith('matmul(s, rows="i", cols="j", inner="k"') and str(second) == 'elementwise(s, "i", "j")'
    )
    assert s.text().count("kernel_launch(") == 2 and "memcpy_host_to_device2(d_t" not in s.text()
    two = s.built_cuda().function(standin=True)
    for m, n, p in ((0, 1, 1), (1, 1, 1), (130, 67, 33)):
        rng = np.random.default_rng(m)
        a, b = (rng.standard_normal(shape).astype(np.float32) for shape in ((m, p), (p, n)))
        t, c = np.full((m, n), np.nan, np.float32), np.full((m, n), np.nan, np.float32)
        two(a=a, b=b, t=t, c=c)
        assert np.allclose(t, a @ b, rtol=1e-4, atol=1e-4) and np.allclose(c, 2 * t)


def test_where_nothing_fits_the_error_says_why_for_each_schedule() -> None:
    s = og.Script(ROOT / "examples" / "histogram.c")
    with pytest.raises(InputError, match="no schedule fits") as e:
        auto(s)
    d = e.value.diagnostic
    assert d.code == "OG607" and d.labels[0].loc.file == __file__ and len(s.steps) == 1
    assert {"matmul", "convolution", "elements"} <= {name for names, _ in d.notes for name in names.split(", ")}
    assert any("the iterations of the loop over `i` depend on each other, by `counts[" in why for _, why in d.notes)


def test_an_option_that_no_schedule_has_is_an_error() -> None:
    with pytest.raises(InputError) as e:
        auto(og.Script(ROOT / "examples" / "relu.c"), tiles=3)
    assert ("elementwise, elements", "it has no option `tiles`") in e.value.diagnostic.notes


def test_a_loop_that_no_schedule_fits_leaves_the_program_as_it_was() -> None:
    s = og.Script(parse_text(TWO_LOOPS.replace("c[i][j] = 2.0f", "if (i > 0 || i == 0) c[i][j] = 2.0f"), "two.c"))
    with pytest.raises(InputError) as e:
        auto(s, each=(4, 4))
    assert e.value.diagnostic.code == "OG607" and len(s.steps) == 1 and "kernel_launch" not in s.text()


def test_a_proposal_prints_as_a_line_of_a_script() -> None:
    p = Proposal(auto, ("i",), {"grid": ["t"], "tile": (1, 2), "shared": {"a": None}})
    assert str(p) == 'auto(s, "i", grid=["t"], tile=(1, 2), shared={"a": None})'
