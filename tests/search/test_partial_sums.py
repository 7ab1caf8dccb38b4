"""What is computed from a sum of partial sums: it is restated as a plain sum, so that roots and quotients of it exist."""

from __future__ import annotations

import pytest

import optigpu as og
from optigpu import For, Write
from optigpu.frontend import parse_text
from optigpu.script.step_errors import StepError

DEVIATION = "(X(k) - Sum(j in 0..n, X(j)) / n)"


def deviation(subtracted: str = "") -> og.Script:
    """The standard deviation; with a number subtracted, its square may be negative."""
    return og.Script(
        parse_text(f"""
        void f(int n, float x[n], float y[1]) {{
          __requires("X: int -> float, n > 0");
          __reads("x ~> Matrix1(n, X)");
          __writes("y ~> Matrix1(1, fun i -> sqrtf(Sum(k in 0..n, {DEVIATION} * {DEVIATION}) / n))");
          float sum = 0.0f;
          for (int i = 0; i < n; i++) {{ sum += x[i]; }}
          const float m = sum / n;
          float squares = 0.0f;
          for (int i = 0; i < n; i++) {{ squares += (x[i] - m) * (x[i] - m); }}
          y[0] = sqrtf(squares / n{subtracted});
        }}""")
    )


def in_trees(s: og.Script) -> None:
    with s.phase("trees"):
        for var in ("sum", "squares"):
            s.loop.tile(For("i", body=Write(var)).first, 64, outer="b", tail="guard")
            s.loop.rename(For("i", body=Write(var)).first, "t")
            s.loop.reorder("t", "b", at=Write(var).first)
            s.reduce.parts(For("t", body=Write(var)), var=var, parts=f"{var}_parts")
            s.reduce.tree(For("t", body=Write(var)))


def test_a_variance_of_partial_sums_has_a_root() -> None:
    s = deviation()
    in_trees(s)
    assert s.text().count(">>= 1") == 2


def test_less_than_a_variance_may_have_none() -> None:
    with pytest.raises(StepError, match="OG333"):
        deviation(" - 1.0f")


def test_a_missing_part_is_found() -> None:
    s = deviation()
    in_trees(s)
    with pytest.raises(StepError):
        s.instr.delete(Write("sum"))
