"""Reductions in one pass: a mean with the deviations from it, a maximum with a sum of exponentials relative to it."""

from __future__ import annotations

import pytest

import optigpu as og
from optigpu import For, Write
from optigpu.frontend import parse_text
from optigpu.script.step_errors import StepError
from optigpu.syntax.diagnostic import InputError


def variance(count: str = "n", mean: str = "mean(X, n)", m: str = "m", more: str = "") -> og.Script:
    """y[0] is the sum of squared deviations from the mean, or from another number."""
    return og.Script(
        parse_text(f"""
        __DEF(mean, "fun (X: int -> float) (n: int) -> Sum(k in 0..n, X(k)) / {count}");
        void f(int n, float x[n], float y[1]) {{
          __requires("X: int -> float, n > 1");
          __reads("x ~> Matrix1(n, X)");
          __writes("y ~> Matrix1(1, fun i -> Sum(k in 0..n, (X(k) - {mean}) * (X(k) - {mean})))");
          float sum = 0.0f;
          for (int i = 0; i < n; i++) {{ sum += x[i]; }}
          const float m = sum / {count};
          float squares = 0.0f;
          for (int i = 0; i < n; i++) {{ squares += (x[i] - {m}) * (x[i] - {m}); }}
          {more}
          y[0] = squares;
        }}""")
    )


def test_deviations_are_summed_up_with_the_mean() -> None:
    s = variance()
    s.reduce.moments("squares")
    assert s.text().count("for (") == 1 and "const float shift = x[0];" in s.text()


def test_deviations_from_another_number_are_not_those_from_the_mean() -> None:
    s = variance("(n - 1)")
    with pytest.raises(StepError):
        s.reduce.moments("squares")


def test_other_sums_are_refused() -> None:
    with pytest.raises(InputError, match="not a sum of squared deviations"):
        variance(mean="X(0)", m="x[0]").reduce.moments("squares")
    with pytest.raises(InputError, match="also used here"):
        variance(more="y[0] = sum;").reduce.moments("squares")


def softmax(start: int = 1, exponent: str = "x[i] - m") -> og.Script:
    return og.Script(
        parse_text(f"""
        void f(int n, float x[n], float y[1]) {{
          __requires("X: int -> float, n > 0");
          __reads("x ~> Matrix1(n, X)");
          __writes("y ~> Matrix1(1, fun i -> logf(Sum(k in 0..n, expf(X(k)))))");
          float m = x[0];
          for (int i = {start}; i < n; i++) {{ m = fmaxf(m, x[i]); }}
          float s = 0.0f;
          for (int i = 0; i < n; i++) {{ s += expf({exponent}); }}
          y[0] = logf(s) + m;
        }}""")
    )


def test_a_maximum_and_its_sum_of_exponentials_in_one_pass_and_in_parts() -> None:
    s = softmax()
    s.loop.widen_range(For("i", body=Write("m")), 0)
    for var in ("m", "s"):
        s.loop.tile(For("i", body=Write(var)).first, 128, outer="b", tail="guard")
        s.loop.tile(For("i", body=Write(var)).first, 4, outer="t")
        s.loop.reorder("t", "b", "i", at=Write(var).first)
    s.reduce.online("s", levels=2)
    s.reduce.online_parts(For("t"), var="s", parts="sums", maxima="own", tops="top")
    s.reduce.tree(For("t", body=Write("m")))
    s.reduce.tree(For("t", body=Write("s")))
    assert s.text().count("x[b * 128 + t * 4 + i]") == 3


def test_one_pass_that_a_program_has_itself_is_divided_into_parts() -> None:
    s = og.Script(
        parse_text("""
        void f(float b[8], float a[1]) {
          __requires("B: int -> float");
          __reads("b ~> Matrix1(8, B)");
          __writes("a ~> Matrix1(1, fun i -> Sum(k in 0..8, exp(B(k) - Max(j in 0..8, B(j)))))");
          float best = b[0];
          float s = 0.0f;
          for (int i = 0; i < 4; i++) {
            for (int j = 0; j < 2; j++) {
              float next = best;
              next = fmaxf(next, b[2 * i + j]);
              s *= expf(best - next);
              s += expf(b[2 * i + j] - next);
              best = next;
            }
          }
          a[0] = s;
        }""")
    )
    s.reduce.online_parts(For("i"), var="s", parts="sums", maxima="own", tops="top")
    assert s.result.verified and "sums[i] *= own[i] == best" in s.text()


def test_loops_over_different_ranges_are_refused() -> None:
    with pytest.raises(InputError, match="do not have the same ranges"):
        softmax().reduce.online("s")


def test_a_sum_that_is_not_relative_to_the_maximum_is_refused() -> None:
    with pytest.raises(InputError, match="not a sum of exponentials"):
        softmax(0, "x[i] + 0.0f - m * 1.0f").reduce.online("s")


def test_a_loop_that_would_do_something_else_is_not_widened() -> None:
    s = og.Script(
        parse_text("""
        void f(float b[4], float a[1]) {
          __requires("B: int -> float");
          __reads("b ~> Matrix1(4, B)");
          __writes("a ~> Matrix1(1, fun i -> Sum(k in 1..4, B(k)))");
          float x = 0.0f;
          for (int i = 1; i < 4; i++) { x += b[i]; }
          a[0] = x;
        }""")
    )
    with pytest.raises(StepError):
        s.loop.widen_range("i", 0)
