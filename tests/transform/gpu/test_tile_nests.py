"""`gpu.tensor_cores` on tiles, and `gpu.launch(fragments=, group=)`: loops over fragments, products and sums of rows as calls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import optigpu as og
from optigpu import For, Write
from optigpu.frontend import parse_text
from optigpu.syntax.diagnostic import InputError
from tests.support.card_context import AcceptingVerifier
from tests.support.cuda import emitted, on_standin
from tests.support.tiles import filled, small_integers, stored, unset

# Two groups of rows; the factors have room for other elements than those that are multiplied.
PRODUCT = """#include <optigpu.h>
void product(half a[128][64], half b[64][64], float c[128][64]) {
  __requires("A: int * int -> float, B: int * int -> float");
  __reads("a ~> Matrix2(128, 64, A), b ~> Matrix2(64, 64, B)");
  __writes("c ~> Matrix2(128, 64, fun i j -> Sum(k in 0..64, A(i, k) * B(k, j)))");
  for (int x = 0; x < 1; x++) {
    half s[128][64];
    for (int y = 0; y < 128; y++) for (int z = 0; z < 64; z++) s[y][z] = a[y][z];
    half t[64][64];
    for (int y = 0; y < 64; y++) for (int z = 0; z < 64; z++) t[y][z] = b[y][z];
    float sum[2][64][64];
    for (int g = 0; g < 2; g++) for (int i = 0; i < 64; i++) for (int j = 0; j < 64; j++) sum[g][i][j] = 0.0f;
    for (int g = 0; g < 2; g++) {
      LOOPS { BODY }
    }
    for (int g = 0; g < 2; g++) {
      for (int i = 0; i < 64; i++) for (int j = 0; j < 64; j++) c[64 * g + i][j] = sum[g][i][j];
    }
  }
}
"""
LOOPS = "for (int i = 0; i < 64; i++) for (int j = 0; j < 64; j++) for (int k = 0; k < 64; k++)"
BODY = "sum[g][i][j] += s[64 * g + i][k] * t[k][j];"


def product(loops: str = LOOPS, body: str = BODY, *, accept: bool = True) -> og.Script:
    text = filled(PRODUCT, LOOPS=loops, BODY=body)
    return og.Script(parse_text(text, "f.c"), verifier=AcceptingVerifier() if accept else None)


def launched(s: og.Script, **options: Any) -> og.Script:
    for tile in ("s", "t"):
        s.gpu.async_copy(tile)
    s.gpu.launch(grid=["x"], block=["g"], **{"fragments": {"sum": 1}, **options})
    return s


def test_a_product_of_tiles_is_verified_and_computed() -> None:
    s = product(accept=False)
    s.gpu.tensor_cores(For("i", body=For("k")))
    launched(s)
    assert s.result.verified and len(s.steps) == 5
    text = s.text()
    assert "mma(&sum[DMINDEX1(2, g)][0][0], &s[64 * g][0], t, 64);" in text
    assert "float* const sum = __frag_malloc2<float>(2, 64, 64);" in text and text.count("frag for") == 4
    assert "kernel_launch(1, 256, " in text and "multiply_by_four_warps<false, false, 64>" in emitted(text).text
    a, b, c = small_integers(1, 128, 64), small_integers(2, 64, 64), unset("float", 128, 64)
    on_standin(s.program)(stored("half", a), stored("half", b), c)
    assert np.array_equal(c, a @ b)


# Calls, with what follows the sum, and the nests that they stand for: the order of the loops, and the factors
FORMS = {
    "mma(&s[64 * g][0], t, 32)": ("ijk", "s[64 * g + i][k] * t[k][j]"),
    "mma_nt(&s[0][32], t, 32)": ("ikj", "s[i][k + 32] * t[j][k]"),
    "mma_tn(&s[32 * g][0], &t[16][0], 32)": ("kji", "t[16 + k][j] * s[32 * g + k][i]"),
    "mma_tt(s, &t[0][16 * g], 32)": ("jki", "s[k][i] * t[j][16 * g + k]"),
}


@pytest.mark.parametrize("call", FORMS)
def test_all_forms_of_products_in_any_order_of_loops(call: str) -> None:
    order, factors = FORMS[call]
    loops = [f"for (int {x} = 0; {x} < {32 if x == 'k' else 64}; {x}++)" for x in order]
    s = product(" ".join(loops), f"sum[g][i][j] += {factors};")
    s.gpu.tensor_cores(For(order[0], body=Write("sum")).last)
    assert "#pragma tensor_cores tile\n" in s.text()
    assert call.replace("(", "(&sum[DMINDEX1(2, g)][0][0], ") + ";" in launched(s).text()


NO_PRODUCT = {
    "one factor": "sum[g][i][j] += 2.0f * t[k][j];",
    "another operator": "sum[g][i][j] -= s[i][k] * t[k][j];",
    "three factors": "sum[g][i][j] += s[i][k] * t[k][j] * 2.0f;",
    "a factor that depends on all loops": "sum[g][i][j] += s[i][k] * t[k][(j + i) % 64];",
    "rows with a stride": "sum[g][i][j] += s[2 * i][k] * t[k][j];",
    "a result that depends on the summand": "sum[g][i][k] += s[i][k] * t[k][j];",
    "a result that is an element of something else": "sum[g][i][63 - j] += s[i][k] * t[k][j];",
}


@pytest.mark.parametrize("name", NO_PRODUCT)
def test_what_is_no_product_of_tiles_is_refused(name: str) -> None:
    s = product(LOOPS, NO_PRODUCT[name])
    with pytest.raises(
        InputError, match="the loop over `i` cannot run on tensor cores: it is no nest of three loops"
    ) as e:
        s.gpu.tensor_cores(For("i", body=For("k")))
    assert e.value.diagnostic.code == "OG604"


def test_a_nest_that_is_no_product_any_more_is_refused_by_the_launch() -> None:
    s = product()
    s.gpu.tensor_cores(For("i", body=For("k")))
    s.instr.replace(Write("sum").last, "sum[g][i][j] += 2.0f * s[64 * g + i][k] * t[k][j];")
    with pytest.raises(InputError, match="the loop over `i` is not a product of tiles: its factors are not") as e:
        launched(s)
    assert e.value.diagnostic.code == "OG603"


ROWS = """#include <optigpu.h>
void rows(float a[64][32], float b[64][32]) {
  __requires("A: int * int -> float");
  __reads("a ~> Matrix2(64, 32, A)");
  __writes("b ~> Matrix2(64, 32, fun i j -> A(i, j) + RESULT)");
  for (int x = 0; x < 1; x++) {
    for (int g = 0; g < 4; g++) {
      float v[16];
      float m[16][32];
      for (int i = 0; i < 16; i++) {
        v[i] = 0.0f;
        for (int j = 0; j < 32; j++) m[i][j] = a[16 * g + i][j];
      }
      for (int i = 0; i < 16; i++) for (int j = 0; j < 32; j++) CHANGE
      for (int i = 0; i < 16; i++) for (int j = 0; j < 32; j++) b[16 * g + i][j] = m[i][j] + v[i];
    }
  }
}
"""
SUM = "Sum(k in 0..32, A(i, k))"
REDUCTIONS = {
    "v[i] += m[i][j];": ("sum", SUM),
    "v[i] = v[i] + m[i][j];": ("sum", SUM),
    "v[i] = m[i][j] + v[i];": ("sum", SUM),
    "v[i] = fmaxf(v[i], m[i][j]);": ("max", "max(0, Max(k in 0..32, A(i, k)))"),
    "v[i] = fmaxf(m[i][j], v[i]);": ("max", "max(0, Max(k in 0..32, A(i, k)))"),
    "v[i] = fminf(v[i], m[i][j]);": ("min", "min(0, Min(k in 0..32, A(i, k)))"),
}


def of_rows(change: str, result: str = "0", *, accept: bool = False, **options: Any) -> og.Script:
    text = filled(ROWS, CHANGE=change, RESULT=result)
    s = og.Script(parse_text(text, "f.c"), verifier=AcceptingVerifier() if accept else None)
    s.gpu.launch(grid=["x"], block=["g"], **{"fragments": {"v": 0, "m": 0}, "group": 32, **options})
    return s


@pytest.mark.parametrize("change", REDUCTIONS)
def test_sums_and_extrema_of_rows_are_calls(change: str) -> None:
    name, result = REDUCTIONS[change]
    s = of_rows(change, result)
    assert s.result.verified and f"frag_row_{name}(v, m);" in s.text() and "kernel_launch(1, 128, 0);" in s.text()


def test_reduced_rows_are_right() -> None:
    f = on_standin(of_rows("v[i] += m[i][j];", SUM).program)
    a, b = small_integers(3, 64, 32), unset("float", 64, 32)
    f(a, b)
    assert np.array_equal(b, a + a.sum(axis=1, keepdims=True))


def test_other_loops_over_elements_stay_loops() -> None:
    text = of_rows("m[i][j] = 2.0f * m[i][j] + v[i];", accept=True).text()
    assert "frag_row" not in text and "__fragment__ float m[16][32];" in text and "__fragment__ float v[16];" in text
    assert "m[i][j] = 2.0f * m[i][j] + v[i];" in text and text.count("frag for (int j = 0; j < 32; j++)") == 3


REFUSED: dict[str, tuple[dict[str, Any], str, str]] = {
    "a group that no instruction has": ({"group": 64}, "OG604", "64 threads cannot share fragments"),
    "too few dimensions of groups": (
        {"fragments": {"sum": 0}}, "OG604", "`sum` has 3 dimensions: those of groups, and one or two of a fragment",
    ),
    "too many dimensions of groups": (
        {"fragments": {"sum": 3}}, "OG604", "`sum` has 3 dimensions: those of groups, and one or two of a fragment",
    ),
    "no variable": ({"fragments": {"total": 1}}, "OG601", "fragments=: no variable `total` is declared in this nest"),
    "a place twice": ({"fragments": {"sum": 1}, "shared": ["sum"]}, "OG604", "`sum` is in shared= and in fragments="),
    "registers, too": ({"fragments": {"sum": 1}, "registers": {"sum": 1}}, "OG604", "`sum` is in registers= and in fragments="),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_can_be_no_fragment_is_refused(name: str) -> None:
    options, code, why = REFUSED[name]
    s = product()
    s.gpu.tensor_cores(For("i", body=For("k")))
    with pytest.raises(InputError) as e:
        launched(s, **options)
    assert (e.value.diagnostic.code, e.value.diagnostic.message) == (code, why)


def test_columns_around_rows_are_refused() -> None:
    swapped = "for (int j = 0; j < 32; j++) for (int i = 0; i < 16; i++) m[i][j] += 1.0f;"
    with pytest.raises(InputError, match="the loop over columns, `j`, is around that over rows") as e:
        of_rows(f"m[i][j] += 1.0f;\n{swapped}", accept=True)
    assert e.value.diagnostic.help == "s.loop.reorder"


def test_rows_that_are_none_of_a_group_are_refused_by_the_emission() -> None:
    """What the threads of a group have of a fragment is a matter of the instructions, not of the proof."""
    s = of_rows("v[i] += m[i][j];", SUM, group=128)
    assert s.result.verified
    with pytest.raises(InputError, match="a fragment of 128 threads has a multiple of 64 rows") as e:
        emitted(s.text())
    assert e.value.diagnostic.code == "OG409"


# Wrong twins: launches whose results the checker rejects.
WRONG = {
    "an element of another column": ("m[i][j] = m[i][31 - j];", "OG340"),
    "an element of another row": ("m[i][j] += v[15 - i];", "OG344"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_a_thread_does_not_have_of_a_fragment_is_rejected(name: str) -> None:
    change, code = WRONG[name]
    text = filled(ROWS, CHANGE=change, RESULT="0").replace("Matrix2(64, 32, fun i j -> A(i, j) + 0)", "Cells2(64, 32)")
    s = og.Script(parse_text(text, "f.c"))
    with pytest.raises(og.StepError) as e:
        s.gpu.launch(grid=["x"], block=["g"], fragments={"v": 0, "m": 0}, group=32)
    assert e.value.diagnostic.code == code
