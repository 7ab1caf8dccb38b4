"""C has pointers to elements of an array and to the place after the last one; a program forms no others."""

from __future__ import annotations

import pytest

from tests.support.running import misbehaves, run
from tests.support.verdicts import VERIFIED, verdict_of

LAST = """int last(int n, int a[n]) {{
  __requires("A: int -> int, n >= 1");
  __reads("a ~> Matrix1(n, A)");
  __ensures("_Res == A(n - 1)");
  {body}
}}
"""
GOOD = [
    "int* const p = &a[n]; return p[-1];",
    "int* const p = a + n; return p[-1];",
    "int* const p = &a[n - 1]; return p[0];",
    "int* const p = &a[0]; return p[n - 1];",
    "int* const p = &a[n]; int* const q = &p[-n]; return q[n - 1];",
]
BAD = [
    ("int* const p = &a[n + 5]; return p[-6];", "OG335 5:18"),
    ("int* const p = &a[n + 1]; return p[-2];", "OG335 5:18"),
    ("int* const p = a + n + 1; return p[-2];", "OG335 5:18"),
    ("int* const p = &a[-1]; return p[n];", "OG335 5:18"),
    ("int* const p = &a[n]; int* const q = &p[1]; return q[-2];", "OG335 5:40"),
    ("int* const p = &a[n]; int* const q = &p[-n - 1]; return q[n];", "OG335 5:40"),
]


@pytest.mark.parametrize("body", GOOD)
def test_a_pointer_goes_to_an_element_or_after_the_last(body: str) -> None:
    assert verdict_of(LAST.format(body=body)) == VERIFIED
    assert run(LAST.format(body=body), 3, [4, 5, 6])[0] == 6


@pytest.mark.parametrize(("body", "message"), BAD)
def test_no_other_pointer_is_formed(body: str, message: str) -> None:
    assert verdict_of(LAST.format(body=body)) == message
    assert misbehaves(LAST.format(body=body), 3, [4, 5, 6]).code == "OG201"


ROWS = """float f(int n, int m, float a[n][m]) {{
  __requires("A: int * int -> float, n >= 1, m >= 1");
  __reads("a ~> Matrix2(n, m, A)");
  __ensures("_Res == A({cell})");
  {body}
}}
"""
GOOD_ROWS = [
    ("0, m - 1", "const float* const p = &a[0][m]; return p[-1];"),
    ("n - 1, 0", "const float* const p = a[n - 1]; return p[0];"),
]
BAD_ROWS = [
    ("0, m - 1", "const float* const p = &a[0][m + 1]; return p[-2];", "OG335 5:26"),
    ("0, 0", "const float* const p = a[n]; return a[0][0];", "OG335 5:26"),
    ("0, 0", "const float* const p = &a[-1][0]; return a[0][0];", "OG335 5:26"),
]


@pytest.mark.parametrize(("cell", "body"), GOOD_ROWS)
def test_a_pointer_stays_in_its_row(cell: str, body: str) -> None:
    assert verdict_of(ROWS.format(cell=cell, body=body)) == VERIFIED


@pytest.mark.parametrize(("cell", "body", "message"), BAD_ROWS)
def test_a_pointer_into_a_row_needs_the_row(cell: str, body: str, message: str) -> None:
    assert verdict_of(ROWS.format(cell=cell, body=body)) == message


def test_arguments_are_pointers_too() -> None:
    """Nothing is accessed through it, and yet C does not allow it."""
    text = """void g(int k, float p[k]) {{ __preserves("p ~> Cells1(k)"); }}
void f(int n, float a[n]) {{
  __requires("n >= 0");
  __preserves("a ~> Cells1(n)");
  g(0, {});
}}
"""
    assert verdict_of(text.format("&a[n]")) == VERIFIED
    assert verdict_of(text.format("&a[n + 1]")) == "OG335 5:8"


@pytest.mark.parametrize(
    ("declaration", "good", "bad"),
    [
        ("int t[4];", "&t[4]", "&t[5]"),
        ("int* const t = MALLOC1(int, 4);", "&t[4]", "&t[5]"),
    ],
)
def test_pointers_to_what_the_function_allocates(declaration: str, good: str, bad: str) -> None:
    end = "free(t);" if "MALLOC" in declaration else ""
    text = f"int f() {{\n  {declaration}\n  t[3] = 7;\n  int* const p = {good};\n  {end}\n  return 7;\n}}\n"
    assert verdict_of(text) == VERIFIED
    assert verdict_of(text.replace(good, bad)) == "OG335 4:18"


@pytest.mark.parametrize(
    ("index", "message"), [("p", VERIFIED), ("p * q", "OG335 3:18"), ("p + 9223372036854775807", "OG335 3:18")]
)
def test_a_pointer_into_an_array_of_unknown_size_is_a_number_of_64_bits(index: str, message: str) -> None:
    text = f"""int f(int64_t p, int64_t q, int* a) {{ __requires("p >= 1, q >= 1"); __reads("&a[0] ~> Cell");

  int* const x = &a[{index}]; return a[0]; }}
"""
    assert verdict_of(text) == message
