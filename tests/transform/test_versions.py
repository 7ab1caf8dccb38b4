"""`function.versions`: a function that does the same by two bodies, each optimised by itself."""

from __future__ import annotations

import numpy as np
import pytest

import optigpu as og
from optigpu import For, Write
from optigpu.frontend import parse_text
from optigpu.syntax.diagnostic import InputError

SCALE = """#include <optigpu.h>
void scale(int n, float a[n], float b[n]) {
  __requires("A: int -> float");
  __reads("a ~> Matrix1(n, A)");
  __writes("b ~> Matrix1(n, fun i -> 2 * A(i))");
  for (int i = 0; i < n; i++) b[i] = 2.0f * a[i];
}
"""
TOTAL = """#include <optigpu.h>
float total(int n, float a[n]) {
  __requires("A: int -> float");
  __reads("a ~> Matrix1(n, A)");
  __ensures("_Res == Sum(j in 0..n, A(j))");
  float sum = 0.0f;
  for (int i = 0; i < n; i++) sum += a[i];
  return sum;
}
"""


def script(text: str) -> og.Script:
    return og.Script(parse_text(text, "f.c"))


def test_each_version_is_optimised_under_its_condition() -> None:
    s = script(SCALE)
    fast, rest = s.function.versions("n % 4 == 0")
    s.loop.tile(fast / For("i"), 4)  # proved: 4 divides n in this version alone
    with s.inside(rest):
        s.loop.parallel("i")
    scale = s.build()
    for n in (0, 1, 7, 8):
        a, b = np.arange(n, dtype=np.float32), np.zeros(n, np.float32)
        scale(n=n, a=a, b=b)
        assert (b == 2 * a).all()


def test_the_other_version_does_not_have_the_condition() -> None:
    s = script(SCALE)
    _, rest = s.function.versions("n % 4 == 0")
    with pytest.raises(og.StepError, match="OG311"):
        s.loop.tile(rest / For("i"), 4)


def test_a_version_that_computes_something_else_is_rejected() -> None:
    s = script(SCALE)
    fast, _ = s.function.versions("n < 8")
    with pytest.raises(og.StepError):
        s.instr.replace(fast / Write("b"), "b[i] = 3.0f * a[i];")


def test_a_result_is_returned_by_both_versions() -> None:
    s = script(TOTAL)
    fast, _ = s.function.versions("n % 4 == 0")
    s.loop.tile(fast / For("i"), 4)
    total = s.build()
    for n in (0, 5, 8):
        assert total(n=n, a=np.ones(n, np.float32)) == n


def test_a_version_is_divided_again() -> None:
    s = script(SCALE)
    fast, rest = s.function.versions("n % 8 == 0")
    four, other = s.function.versions("n % 4 == 0", at=rest)
    s.loop.tile(fast / For("i"), 8)
    s.loop.tile(four / For("i"), 4)
    s.loop.parallel(other / For("i"))


@pytest.mark.parametrize(
    ("when", "message"),
    [("k > 0", "`k` is not a number"), ("a[0] > 0.0f", "`a` is not a number"), ("n %", "cannot be read")],
)
def test_a_condition_on_something_else_is_refused(when: str, message: str) -> None:
    s = script(SCALE)
    with pytest.raises(InputError, match=message):
        s.function.versions(when)
    assert len(s.steps) == 1
