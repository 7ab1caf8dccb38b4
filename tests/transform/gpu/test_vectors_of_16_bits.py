"""`gpu.vectorize` on numbers of 16 bits: eight of them are one access; wider ones beside them are several."""

from __future__ import annotations

import pytest

import optigpu as og
from optigpu import For
from optigpu.frontend import parse_text

MIXED = """#include <optigpu.h>
void f(int n, TYPE a[n], OTHER c[n]) {
  __requires("A: int -> float, n % 128 == 0");
  __reads("a ~> Matrix1(n, A)");
  __writes("c ~> Matrix1(n, fun i -> VALUE)");
  for (int b = 0; b < n / 128; b++) {
    for (int t = 0; t < 16; t++) {
      for (int v = 0; v < 8; v++) { c[128 * b + 8 * t + v] = CODE; }
    }
  }
}"""


def eight(a: str, c: str, code: str = "a[128 * b + 8 * t + v]", value: str = "A(i)") -> str:
    """Eight elements a thread, with vector accesses."""
    s = og.Script(
        parse_text(MIXED.replace("TYPE", a).replace("OTHER", c).replace("CODE", code).replace("VALUE", value))
    )
    s.gpu.launch(grid=["b"], block=["t"])
    s.gpu.vectorize("v")
    assert s.result.verified
    return s.text()


def test_eight_numbers_of_16_bits_are_one_access() -> None:
    for t in ("half", "bf16"):
        text = eight(t, t)
        assert (
            "vload8(&d_a8[0], &d_a[128 * b + 8 * t]);" in text and "vstore8(&d_c[128 * b + 8 * t], &d_a8[0]);" in text
        )
        assert "v++" not in text and f"{t} d_a8[8];" in text


@pytest.mark.parametrize(("a", "c", "width"), [("half", "half", 8), ("half", "float", 4), ("tf32", "tf32", 4)])
def test_schedules_choose_vectors_of_16_bytes(a: str, c: str, width: int) -> None:
    s = og.Script(
        parse_text(f"""#include <optigpu.h>
        void f(int n, {a} a[n], {c} c[n]) {{
          __requires("A: int -> float");
          __reads("a ~> Matrix1(n, A)");
          __writes("c ~> Matrix1(n, fun i -> 2.0f * A(i))");
          for (int i = 0; i < n; i++) {{ {c} t[1]; t[0] = 2.0f * a[i]; c[i] = t[0]; }}
        }}""")
    )
    og.schedules.elementwise(s, "i")
    assert s.result.verified and f"vload{width}(" in s.text()


def test_eight_wider_numbers_are_several_accesses() -> None:
    text = eight("float", "double")
    for k in ("", " + 4"):
        assert f"vload4(&d_a8[{k[3:] or 0}], &d_a[128 * b + 8 * t{k}]);" in text
    for k in ("", " + 2", " + 4", " + 6"):
        assert f"vstore2(&d_c[128 * b + 8 * t{k}], &d_c8[{k[3:] or 0}]);" in text


def test_numbers_of_two_types_are_converted_in_the_loop() -> None:
    text = eight("bf16", "float")
    assert "vload8(&d_a8[0]" in text and "d_c8[v] = d_a8[v];" in text and text.count("vstore4") == 2
    text = eight("half", "half", "2.0f * a[128 * b + 8 * t + v]", "2.0f * A(i)")
    assert "d_c8[v] = 2.0f * d_a8[v];" in text and text.count("vload8") == text.count("vstore8") == 1


def test_registers_of_another_type_are_no_vector_of_memory() -> None:
    s = og.Script(
        parse_text("""#include <optigpu.h>
        void f(int n, half a[n], float c[n]) {
          __requires("A: int -> float, n % 128 == 0");
          __reads("a ~> Matrix1(n, A)");
          __writes("c ~> Matrix1(n, fun i -> A(i))");
          for (int b = 0; b < n / 128; b++) {
            for (int t = 0; t < 32; t++) {
              float r[4];
              for (int v = 0; v < 4; v++) { r[v] = a[128 * b + 4 * t + v]; }
              for (int v = 0; v < 4; v++) { c[128 * b + 4 * t + v] = r[v]; }
            }
          }
        }""")
    )
    s.gpu.launch(grid=["b"], block=["t"])
    s.gpu.vectorize(For("v").first)
    s.gpu.vectorize(For("v").last)
    text = s.text()
    assert (
        "vload4(&d_a4[0], " in text and "r[v] = d_a4[v];" in text and "vstore4(&d_c[128 * b + 4 * t], &r[0]);" in text
    )
