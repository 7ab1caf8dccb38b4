"""Loops with `#pragma tensor_cores`: what the instruction of a warp computes, and what it cannot."""

from __future__ import annotations

import numpy as np
import pytest

import optigpu as og
from optigpu.check.verify import Verifier
from optigpu.frontend import parse_text
from optigpu.runtime.nvcc import nvcc
from optigpu.syntax.diagnostic import InputError
from optigpu.syntax.printer import print_program
from tests.conftest import ROOT
from tests.support.cuda import emitted, kernel_text, on_standin, refused

PROGRAM = ROOT / "tests" / "programs" / "tensor_product.c"
TEXT = PROGRAM.read_text(encoding="utf-8")
SUM = "acc[DMINDEX3(2, 8, 4, w, g, t)][nt][h][e]"
LEFT, RIGHT = "s_a[8 * kk + k][16 * w + 8 * h + g]", "s_b[8 * kk + k][8 * nt + 2 * t + e]"
NEST = TEXT[
    TEXT.index("#pragma") : TEXT.index(
        "\n                }\n              }\n            }\n          }\n        }\n        blocksync();"
    )
]


def changed(*changes: tuple[str, str], text: str = TEXT) -> str:
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return text


@pytest.mark.parametrize("precision, tolerance", [("tf32", 2e-3), ("tf32x3", 2e-6)])
def test_tensor_cores_compute_what_is_proved(precision: str, tolerance: float) -> None:
    text = changed(("tf32x3", precision))
    assert Verifier().verify(parse_text(text)).verified
    rng = np.random.default_rng(1)
    a, b = (rng.standard_normal(shape, dtype=np.float32) for shape in ((64, 48), (48, 32)))
    c = np.full((64, 32), np.nan, np.float32)
    on_standin(text)(a=a, b=b, c=c)
    exact = a.astype(np.float64) @ b
    error = np.abs(c - exact).max() / np.abs(exact).max()
    assert error < tolerance
    assert (error > 1e-5) == (precision == "tf32"), "the stand-in rounds as tensor cores do"


def test_a_wrong_product_is_refuted_whether_hinted_or_not() -> None:
    assert not Verifier().verify(parse_text(changed((LEFT, LEFT.replace("+ g", "+ 7 - g"))))).verified


def test_all_threads_of_the_warp_are_ordered_around_the_product() -> None:
    """A thread loads elements that other threads of its warp wrote, or will overwrite."""
    kernel = kernel_text(PROGRAM)
    before, after = kernel.split("mma_tf32x3(")
    assert "__syncwarp();" in before.rpartition("__syncthreads();")[2]
    assert "__syncwarp();" in after.partition("__syncthreads();")[0]


def test_the_pragma_is_printed_as_it_was_read() -> None:
    program = parse_text(TEXT)
    assert "#pragma tensor_cores tf32x3\n" in print_program(program)
    assert parse_text(print_program(program)) == program


def test_the_head_of_the_file_says_how_factors_are_rounded() -> None:
    assert "// Products run on tensor cores as three products in TF32 each" in emitted(PROGRAM).text
    assert "in TF32: factors have 10 bits of mantissa." in emitted(changed(("tf32x3", "tf32"))).text


def test_a_hinted_thread_loop_is_refused() -> None:
    compute = TEXT.index("blocksync();")
    lane = "            thread for (int t = 0; t < 4; t++) {"
    text = TEXT[:compute] + changed((lane, f"            #pragma tensor_cores tf32\n{lane}"), text=TEXT[compute:])
    assert "it is a thread loop itself" in refused(text)


def test_an_unknown_precision_is_no_pragma() -> None:
    with pytest.raises(InputError) as e:
        parse_text(changed(("tf32x3", "tf16")))
    assert e.value.diagnostic.code == "OG012"


GUARDED = f"if (g < 4) {{\n {NEST}\n }}"
WRONG = {
    "it is no nest of three loops": [("k < 8", "k < 4")],
    "its body is not": [(f"{LEFT} * {RIGHT}", f"{LEFT} * 2.0f * {RIGHT}")],
    "its factors do not depend on rows": [(LEFT, "s_a[8 * kk + k][16 * w + g]")],
    "what it adds to is not an element [h][e]": [(f"{SUM} +=", f"{SUM.replace('[h]', '[0]')} +=")],
    "not all threads of a warp run it": [(NEST, GUARDED)],
    "not all threads of a warp run the same iterations of `kk`": [("kk < 2", "kk < 2 * (g / 8 + 1)")],
    "a factor depends on the thread by more than g, h, k": [(LEFT, LEFT.replace("+ g", "+ g + 0 * t"))],
    "a factor depends on the thread by more than e, k, t": [(RIGHT, RIGHT.replace("+ e", "+ e + g / 8"))],
    "the same thread loop also writes to memory": [("for (int kk", "s_a[0][32 + g] = 0.0f;\n for (int kk")],
    "a factor is not an element of an array in shared": [
        ("#pragma", "float x[2][8];\n #pragma"),
        (LEFT, "x[h][k]"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("why", WRONG)
def test_other_loops_are_refused_at_their_place(why: str) -> None:
    text = changed(*WRONG[why])
    assert f"OG408: this loop cannot run on tensor cores: {why}" in refused(text)
    with pytest.raises(InputError) as e:
        emitted(text)
    assert e.value.diagnostic.loc.line > TEXT[: TEXT.index("blocksync();")].count("\n")


ONE_WARP = """#include <optigpu.h>
void f(float a[16][8], float b[8][8], float c[16][8]) {
  __reads("a ~> Cells2(16, 8), b ~> Cells2(8, 8)");
  __writes("c ~> Cells2(16, 8)");
  float* const d_a = __gmem_malloc2<float>(16, 8);
  float* const d_b = __gmem_malloc2<float>(8, 8);
  float* const d_c = __gmem_malloc2<float>(16, 8);
  memcpy_host_to_device2(d_a, a, 16, 8);
  memcpy_host_to_device2(d_b, b, 8, 8);
  kernel_launch(1, 32, 512);
  kernel_setup_end();
  __shared__ float s[32][2][2];
  float* const sum = __treg_malloc2<float>(2, 2);
  thread for (int g = 0; g < 8; g++) {
    thread for (int t = 0; t < 4; t++) {
      float x[2][2][2];
      for (int q = 0; q < 2; q++) for (int h = 0; h < 2; h++) for (int e = 0; e < 2; e++) x[q][h][e] = 0.0f;
      #pragma tensor_cores tf32x3
      for (int k = 0; k < 8; k++) {
        __spreserves("x ~> Cells3(2, 2, 2)");
        for (int h = 0; h < 2; h++) {
          __spreserves("x ~> Cells3(2, 2, 2)");
          for (int e = 0; e < 2; e++) {
            __spreserves("x ~> Cells3(2, 2, 2)");
            x[0][h][e] += d_a[8 * h + g][k] * d_b[k][2 * t + e];
          }
        }
      }
      for (int h = 0; h < 2; h++) for (int e = 0; e < 2; e++) sum[DMINDEX2(8, 4, g, t)][h][e] = x[0][h][e];
    }
  }
  thread for (int g = 0; g < 8; g++) {
    thread for (int t = 0; t < 4; t++) {
      for (int h = 0; h < 2; h++) for (int e = 0; e < 2; e++) d_c[8 * h + g][2 * t + e] = sum[DMINDEX2(8, 4, g, t)][h][e];
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(c, d_c, 16, 8);
  gmem_free(d_a);
  gmem_free(d_b);
  gmem_free(d_c);
}
"""


@pytest.mark.parametrize("index", ["x[0][0][0] < 1.0f ? 0 : 1", "first(&x[0][0][0])"])
def test_what_it_adds_to_is_the_same_in_all_iterations(index: str) -> None:
    """The program computes the index of a sum in each iteration, the instruction once: here it depends on a sum."""
    first = (
        "__device__ int first(float* y) {\n"
        '  __reads("y ~> Cells1(1)");\n'
        '  __ensures("0 <= _Res && _Res < 2");\n'
        "  return y[0] < 1.0f ? 0 : 1;\n}\nvoid f("
    )
    text = changed(("void f(", first), text=ONE_WARP)
    assert "mma_tf32x3(" in emitted(text).text
    text = changed(("x[0][h][e] +=", f"x[{index}][h][e] +="), text=text)
    assert Verifier().verify(parse_text(text)).verified
    assert "what it adds to is not an element [h][e] of registers" in refused(text)


@pytest.mark.parametrize("before", ["", "thread for (int i = 0; i < 32; i++) { float s[1]; s[0] = 0.0f; }\n"])
def test_a_register_in_another_scope_makes_no_register_of_a_shared_array(before: str) -> None:
    text = changed(("  __shared__", f"  {before}  __shared__"), text=ONE_WARP)
    assert "mma_tf32x3(" in emitted(text).text
    text = changed(("      #pragma", "      s[4 * g + t][0][0] = 1.0f;\n      #pragma"), text=text)
    assert "the same thread loop also writes to memory" in refused(text)


@pytest.mark.parametrize("statement", ["const float z = one({});", "x[1][0][0] = one({});"])
def test_a_function_that_is_given_memory_may_write_to_it(statement: str) -> None:
    one = (
        "__device__ float one(float* y) {\n"
        '  __writes("y ~> Matrix1Of(1, SMem, fun i -> 1.0f)");\n'
        "  y[0] = 1.0f;\n  return 1.0f;\n}\nvoid f("
    )
    text = changed(("void f(", one), ("#pragma", "const float z = fabsf(2.0f);\n      #pragma"), text=ONE_WARP)
    assert "mma_tf32x3(" in emitted(text).text
    text = changed(("const float z = fabsf(2.0f);", statement.format("&s[4 * g + t][0][0]")), text=text)
    assert "the same thread loop also writes to memory" in refused(text)


def test_a_function_of_the_program_is_not_the_instruction() -> None:
    assert "mma_tf32x3(" in emitted(f"void product(float x) {{ }}\n{ONE_WARP}").text
    assert "OG405: `mma_tf32` means something else" in refused(f"void mma_tf32(float x) {{ }}\n{ONE_WARP}")


def test_the_threads_of_a_warp_are_numbered_as_the_hardware_does() -> None:
    compute = TEXT.index("blocksync();")
    loops = "thread for (int g = 0; g < 8; g++) {\n            thread for (int t = 0; t < 4; t++) {"
    swapped = "thread for (int t = 0; t < 4; t++) {\n            thread for (int g = 0; g < 8; g++) {"
    text = TEXT[:compute] + changed((loops, swapped), text=TEXT[compute:])
    assert "the two thread loops around it are not those over the 8 x 4 threads" in refused(text)


def test_iterations_of_two_threads_are_no_threads_of_a_warp() -> None:
    """With 128 threads, each iteration of the loops over g and t is a group of two."""
    text = changed(("(n / 16), 64,", "(n / 16), 128,"))
    assert "more than one thread of a block" in refused(text)


def test_the_step_marks_the_loop_and_refuses_others() -> None:
    plain = changed(("                  #pragma tensor_cores tf32x3\n", ""))
    s = og.Script(parse_text(plain))
    s.gpu.tensor_cores(og.For("k"), "tf32")
    assert "mma_tf32(" in emitted(print_program(s.program)).text
    with pytest.raises(InputError, match="cannot run on tensor cores: it is no nest"):
        s.gpu.tensor_cores(og.For("kk"))
    with pytest.raises(InputError, match="the precision `fp8` is not known"):
        s.gpu.tensor_cores(og.For("k"), "fp8")


@pytest.mark.skipif(nvcc() is None, reason="needs nvcc")
def test_nvcc_compiles_the_instruction() -> None:
    from tests.support.exchange import compiled

    assert compiled(emitted(PROGRAM).device_text)
