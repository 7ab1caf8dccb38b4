"""Loads ahead: arrays that are filled for the next iteration, once or in two buffers that take turns."""

from __future__ import annotations

import pytest

import optigpu as og
from optigpu import For, Write
from optigpu.check.verdict import Verdict
from optigpu.check.verify import Settings, Verifier
from optigpu.frontend import parse_text
from optigpu.script.step_errors import StepError
from optigpu.syntax.diagnostic import InputError


def loaded(body: str, *, requires: str = "n > 0") -> og.Script:
    """Rows of `a` through a local array `t`."""
    return og.Script(
        parse_text(f"""
        void f(int n, float a[n][4], float c[n][4]) {{
          __requires("A: int * int -> float, {requires}");
          __consumes("a ~> Matrix2(n, 4, A)");
          __produces("a ~> Cells2(n, 4)");
          __writes("c ~> Matrix2(n, 4, A)");
          for (int i = 0; i < n; i++) {{
            float t[4];
            for (int j = 0; j < 4; j++) {{ t[j] = a[i][j]; }}
            {body}
          }}
        }}""")
    )


COPY_ROW = "for (int j = 0; j < 4; j++) { c[i][j] = t[j]; }"


def test_a_prefetch_loads_the_next_row_before_the_present_one_is_used_up() -> None:
    s = loaded(COPY_ROW)
    s.loop.prefetch("t")
    text = s.text()
    assert "t[j] = a[0][j];" in text and "t[j] = a[min(i + 1, n - 1)][j];" in text
    assert text.index("c[i][j] = t[j];") < text.index("a[min(")


def guarded_loads(body: str) -> og.Script:
    """Rows of `a` through a local array `t`, which has zeros where there is no row; there may be none at all."""
    return og.Script(
        parse_text(f"""
        void f(int n, float a[n][4], float c[n][4]) {{
          __requires("A: int * int -> float, n < 1000");
          __reads("a ~> Matrix2(n, 4, A)");
          __writes("c ~> Matrix2(n, 4, A)");
          for (int i = 0; i < n; i++) {{
            float t[4];
            for (int j = 0; j < 4; j++) {{ if (i < n) {{ t[j] = a[i][j]; }} else {{ t[j] = 0.0f; }} }}
            {body}
          }}
        }}""")
    )


def test_guards_keep_a_prefetch_past_the_end_inside_the_array() -> None:
    s = guarded_loads(COPY_ROW)
    s.loop.prefetch("t", past_end=True)
    assert "if (0 < n)" in s.text() and "t[j] = a[i + 1][j];" in s.text() and "min(" not in s.text()


def test_a_prefetch_past_the_end_without_guards_is_rejected() -> None:
    with pytest.raises(StepError, match="a\\[i \\+ 1\\]"):
        loaded(COPY_ROW).loop.prefetch("t", past_end=True)


def test_two_buffers_take_turns() -> None:
    """The next row may then be loaded before the present one is used."""
    s = guarded_loads(COPY_ROW)
    s.loop.prefetch("t", before=For("j", body=Write("c")), past_end=True, buffers=2)
    text = s.text()
    assert "float t[2][4];" in text and "c[i][j] = t[i % 2][j];" in text
    assert text.index("t[(i + 1) % 2][j] = a[i + 1][j];") < text.index("c[i][j] =")


def test_there_are_one_or_two_buffers() -> None:
    with pytest.raises(InputError, match="one buffer or two"):
        loaded(COPY_ROW).loop.prefetch("t", buffers=3)


def test_a_loop_that_may_not_run_at_all_has_nothing_to_prefetch() -> None:
    s = loaded(COPY_ROW, requires="n >= 0")
    with pytest.raises(StepError):
        s.loop.prefetch("t")


def test_what_is_written_meanwhile_cannot_be_prefetched() -> None:
    """Each iteration changes the row that the next one loads."""
    changed = "if (i + 1 < n) { a[i + 1][0] = 0.0f; }"
    s = og.Script(
        parse_text(f"""
        void f(int n, float a[n][4], float c[n][4]) {{
          __requires("A: int * int -> float, n > 0");
          __consumes("a ~> Matrix2(n, 4, A)");
          __produces("a ~> Cells2(n, 4)");
          __writes("c ~> Cells2(n, 4)");
          for (int i = 0; i < n; i++) {{
            float t[4];
            for (int j = 0; j < 4; j++) {{ t[j] = a[i][j]; }}
            {COPY_ROW}
            {changed}
          }}
        }}""")
    )
    s.loop.prefetch("t")
    assert s.text().index("a[i + 1][0] = 0.0f;") < s.text().index("a[min("), "after the change it may be loaded"


def test_an_array_that_is_used_after_the_point_is_not_prefetched_there() -> None:
    s = loaded(COPY_ROW)
    with pytest.raises(StepError):
        s.loop.prefetch("t", before=For("j", body=Write("c")))


@pytest.mark.parametrize(
    ("target", "before", "why"),
    [
        ("u", None, "not filled by the next statement alone"),
        ("t", Write("t"), "not in the body of the loop, after"),
        ("x", None, "not the declaration of an array"),
    ],
)
def test_what_cannot_be_prefetched_is_refused(target: str, before: og.Target | None, why: str) -> None:
    s = loaded("float u[1]; float x = 0.0f; u[0] = x; u[0] += 1.0f;" + COPY_ROW)
    with pytest.raises(InputError, match=why):
        s.loop.prefetch(target, before=before)


AHEAD = """
void dot(int p, float a[p], float b[p], float c[1]) {
  __requires("A: int -> float, B: int -> float, p > 0, p % 16 == 0");
  __reads("a ~> Matrix1(p, A), b ~> Matrix1(p, B)");
  __writes("c ~> Matrix1(1, fun i -> Sum(k in 0..p, A(k) * B(k)))");
  float sum = 0.0f;
  float x[16];
  for (int j = 0; j < 16; j++) { x[j] = a[j]; }
  for (int i = 0; i < exact_div(p, 16); i++) {
    float y[16];
    for (int j = 0; j < 16; j++) { y[j] = x[j]; }
    for (int j = 0; j < 16; j++) { x[j] = a[min(i + 1, exact_div(p, 16) - 1) * 16 + j]; }
    for (int j = 0; j < 16; j++) { sum += y[j] * b[i * 16 + j]; }
  }
  c[0] = sum;
}
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("sum += y[j]", "sum += y[j]"),
        ("min(i + 1, exact_div(p, 16) - 1)", "i"),
        ("sum += y[j]", "sum += x[j]"),
    ],
)
def test_a_sum_of_what_was_loaded_an_iteration_before_is_known(old: str, new: str) -> None:
    assert old in AHEAD
    (f,) = Verifier(Settings()).verify(parse_text(AHEAD.replace(old, new))).functions
    assert (f.verdict is Verdict.VERIFIED) is (old == new)
