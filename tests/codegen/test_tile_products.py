"""Products of tiles on the stand-in: every type, all forms of transposed factors, one warp and four, parts of tiles."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from optigpu.check.verify import Verifier
from optigpu.runtime.cuda import CudaFunction
from optigpu.runtime.nvcc import compile_cuda, nvcc, target_flags
from tests.support.cuda import emitted, on_standin, parsed
from tests.support.tiles import filled, small_integers, stored, without_wgmma

BOTH_INSTRUCTIONS = pytest.mark.parametrize("wgmma", [True, False], ids=["wgmma", "mma"])
# Form -> result, left and right factor; at and bt are transposed.
FORMS = {
    "mma": ("c", "a", "b"), "mma_nt": ("c_nt", "a", "bt"), "mma_tn": ("c_tn", "at", "b"), "mma_tt": ("c_tt", "at", "bt"),
}  # fmt: skip
ALL_FORMS = """#include <optigpu.h>
void f(SOURCE a[MM][KK], SOURCE at[KK][MM], SOURCE b[KK][NN], SOURCE bt[NN][KK],
       float c[MM][NN], float c_nt[MM][NN], float c_tn[MM][NN], float c_tt[MM][NN]) {
  __requires("A: int * int -> float, B: int * int -> float");
  __reads("a ~> Matrix2(MM, KK, A), at ~> Matrix2(KK, MM, fun k i -> A(i, k))");
  __reads("b ~> Matrix2(KK, NN, B), bt ~> Matrix2(NN, KK, fun j k -> B(k, j))");
  __writes("RESULTS");
  SOURCE* const d_a = __gmem_malloc2<SOURCE>(MM, KK);
  SOURCE* const d_at = __gmem_malloc2<SOURCE>(KK, MM);
  SOURCE* const d_b = __gmem_malloc2<SOURCE>(KK, NN);
  SOURCE* const d_bt = __gmem_malloc2<SOURCE>(NN, KK);
  memcpy_host_to_device2(d_a, a, MM, KK);
  memcpy_host_to_device2(d_at, at, KK, MM);
  memcpy_host_to_device2(d_b, b, KK, NN);
  memcpy_host_to_device2(d_bt, bt, NN, KK);
KERNELS  gmem_free(d_a);
  gmem_free(d_at);
  gmem_free(d_b);
  gmem_free(d_bt);
}
"""
# Two groups of threads, each with half of the rows.
KERNEL = """  float* const d_RESULT = __gmem_malloc2<float>(MM, NN);
  kernel_launch(1, 2 * GROUP, (MM * KK + KK * NN) * sizeof(TYPE));
  kernel_setup_end();
  thread for (int block = 0; block < 1; block++) {
    __shared__ TYPE left[LEFT_SIZES];
    __shared__ TYPE right[RIGHT_SIZES];
    tile_load(left, d_LEFT, 0, 0);
    tile_load(right, d_RIGHT, 0, 0);
    float* const sum = __frag_malloc2<float>(2, HALF, NN);
    blocksync();
    thread for (int g = 0; g < 2; g++) {
      frag for (int i = 0; i < HALF; i++) frag for (int j = 0; j < NN; j++) sum[DMINDEX1(2, g)][i][j] = 0.0f;
      PRODUCT
      frag for (int i = 0; i < HALF; i++) {
        frag for (int j = 0; j < NN; j++) d_RESULT[HALF * g + i][j] = sum[DMINDEX1(2, g)][i][j];
      }
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(RESULT, d_RESULT, MM, NN);
  gmem_free(d_RESULT);
"""
SIZES = {"a": ("MM", "KK"), "at": ("KK", "MM"), "b": ("KK", "NN"), "bt": ("NN", "KK")}


def all_forms(
    elem: str, group: int, rows: int, cols: int, summands: int, parts: int = 1, source: str | None = None
) -> str:
    """A kernel for each form. `parts`: how many products add up the summands; `source`: the type of the arrays."""
    kernels, results = "", []
    for form, (out, left, right) in FORMS.items():
        products = []
        for k in range(0, summands, summands // parts):
            at = f"[HALF * g][{k}]" if left == "a" else f"[{k}][HALF * g]"
            from_there = f"[{k}][0]" if right == "b" else f"[0][{k}]"
            whole = f"&right{from_there}" if k else "right"
            products.append(f"{form}(&sum[DMINDEX1(2, g)][0][0], &left{at}, {whole}, {summands // parts});")
        of_factors = {"LEFT_SIZES": "][".join(SIZES[left]), "RIGHT_SIZES": "][".join(SIZES[right])}
        names = {"LEFT": left, "RIGHT": right, "RESULT": out, "PRODUCT": "\n      ".join(products)}
        kernels += filled(KERNEL, **of_factors, **names)
        results.append(f"{out} ~> Matrix2(MM, NN, fun i j -> Sum(k in 0..KK, A(i, k) * B(k, j)))")
    text = filled(ALL_FORMS, KERNELS=kernels, RESULTS=", ".join(results))
    return filled(text, SOURCE=source or elem, TYPE=elem, GROUP=group, MM=rows, HALF=rows // 2, NN=cols, KK=summands)


def function(text: str, wgmma: bool = True, *, races: bool = True) -> CudaFunction:
    program = parsed(text)
    assert Verifier().verify(program).verified
    return on_standin(program, races=races) if wgmma else without_wgmma(program, races=races)


def multiplied(f: CudaFunction, elem: str, a: NDArray[np.float32], b: NDArray[np.float32]) -> list[NDArray[np.float32]]:
    """The results of all forms."""
    factors = (stored(elem, np.ascontiguousarray(x)) for x in (a, a.T, b, b.T))
    results = [np.full((a.shape[0], b.shape[1]), np.nan, np.float32) for _ in FORMS]
    f(*factors, *results)
    return results


@pytest.mark.parametrize(("group", "wgmma"), [(32, False), (128, False), (128, True)])
@pytest.mark.parametrize("elem", ["half", "bf16", "tf32"])
def test_all_forms_of_all_types(elem: str, group: int, wgmma: bool) -> None:
    cols = 64 if (elem, group) == ("tf32", 128) else 16
    text = all_forms(elem, group, group, cols, 32)
    a, b = small_integers(1, group, 32), small_integers(2, 32, cols)
    for c in multiplied(function(text, wgmma), elem, a, b):
        assert np.array_equal(c, a @ b)


@pytest.mark.parametrize(
    ("elem", "group", "rows", "cols", "summands", "parts"),
    [
        ("half", 128, 256, 16, 32, 2),  # two tiles of rows for a group
        ("tf32", 128, 128, 64, 32, 2),
        ("bf16", 32, 32, 16, 128, 4),  # summands in two panels
        ("half", 128, 128, 256, 16, 1),  # the most columns of an instruction of four warps
        ("half", 128, 128, 320, 16, 1),  # more
    ],
)
def test_tiles_of_several_panels_and_parts_of_them(
    elem: str, group: int, rows: int, cols: int, summands: int, parts: int
) -> None:
    text = all_forms(elem, group, rows, cols, summands, parts)
    a, b = small_integers(3, rows, summands), small_integers(4, summands, cols)
    for c in multiplied(function(text, races=False), elem, a, b):
        assert np.array_equal(c, a @ b)


@pytest.mark.parametrize("elem", ["half", "bf16", "tf32"])
def test_which_instructions_compute_a_product(elem: str) -> None:
    """Four warps multiply together, where they have the instruction: with at most 256 columns."""
    name = {"half": "f16", "bf16": "bf16", "tf32": "tf32"}[elem]
    depth = 8 if elem == "tf32" else 16
    for group, cols, fast in ((32, 64, False), (128, 64, True), (128, 256, True)):
        text = emitted(all_forms(elem, group, max(group, 64), cols, 32)).text
        assert (f"wgmma.mma_async.sync.aligned.m64n{cols}k{depth}.f32.{name}.{name}" in text) == fast
        assert f"mma.sync.aligned.m16n8k{depth}.row.col.f32.{name}.{name}.f32" in text
        assert ("fence_async();" in text) == fast, "tensor cores see what the threads have copied behind a fence"
    wide = emitted(all_forms("half", 128, 128, 320, 16)).text
    assert "multiply_by_four_warps" not in wide and "multiply_by_warps<64, " in wide


PART = """#include <optigpu.h>
void f(TYPE a[64][128], TYPE b[128][128], float c[64][64]) {
  __requires("A: int * int -> float, B: int * int -> float");
  __reads("a ~> Matrix2(64, 128, A), b ~> Matrix2(128, 128, B)");
  __writes("c ~> Matrix2(64, 64, fun i j -> Sum(k in 0..DEPTH, A(i, k + LEFT) * B(k + RIGHT, j + COLUMN)))");
  TYPE* const d_a = __gmem_malloc2<TYPE>(64, 128);
  TYPE* const d_b = __gmem_malloc2<TYPE>(128, 128);
  float* const d_c = __gmem_malloc2<float>(64, 64);
  memcpy_host_to_device2(d_a, a, 64, 128);
  memcpy_host_to_device2(d_b, b, 128, 128);
  kernel_launch(1, 128, 192 * 128 * sizeof(TYPE));
  kernel_setup_end();
  thread for (int block = 0; block < 1; block++) {
    __shared__ TYPE left[64][128];
    __shared__ TYPE right[128][128];
    tile_load(left, d_a, 0, 0);
    tile_load(right, d_b, 0, 0);
    __fragment__ float sum[64][64];
    blocksync();
    frag for (int i = 0; i < 64; i++) frag for (int j = 0; j < 64; j++) sum[i][j] = 0.0f;
    mma(sum, &left[0][LEFT], &right[RIGHT][COLUMN], DEPTH);
    frag for (int i = 0; i < 64; i++) frag for (int j = 0; j < 64; j++) d_c[i][j] = sum[i][j];
    blocksync();
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(c, d_c, 64, 64);
  gmem_free(d_a);
  gmem_free(d_b);
  gmem_free(d_c);
}
"""


@pytest.mark.parametrize(
    ("left", "right", "column", "depth", "fast"),
    [
        (16, 8, 64, 48, True), (112, 112, 0, 16, True),
        (8, 0, 0, 16, False), (0, 4, 0, 16, False), (8, 3, 24, 48, False),
    ],
)  # fmt: skip
def test_factors_begin_anywhere_in_a_tile(left: int, right: int, column: int, depth: int, fast: bool) -> None:
    """Four warps take them together where the swizzle repeats; others take them by one warp at a time."""
    text = filled(PART, TYPE="half", LEFT=left, RIGHT=right, COLUMN=column, DEPTH=depth)
    assert ("multiply_by_four_warps<" in emitted(text).text.split("__global__")[1]) == fast
    a, b = small_integers(5, 64, 128), small_integers(6, 128, 128)
    c = np.full((64, 64), np.nan, np.float32)
    function(text)(stored("half", a), stored("half", b), c)
    assert np.array_equal(c, a[:, left : left + depth] @ b[right : right + depth, column : column + 64])


def test_a_product_by_another_part_of_a_tile_is_refuted() -> None:
    text = filled(PART, TYPE="half", RIGHT=0, COLUMN=0, DEPTH=16).replace("LEFT", "0", 1).replace("LEFT", "16")
    assert not Verifier().verify(parsed(text)).verified


IN_REGISTERS = """#include <optigpu.h>
void f(TYPE a[2 * HALF][32], TYPE b[SIZES], float c[2 * HALF][16]) {
  __requires("A: int * int -> float, B: int * int -> float");
  __reads("a ~> Matrix2(2 * HALF, 32, A), b ~> Matrix2(SIZES_IN_ORDER, B)");
  __writes("c ~> Matrix2(2 * HALF, 16, fun i j -> Sum(k in 0..32, (2 * A(i, k) + 1) * B(PLACE)))");
  TYPE* const d_a = __gmem_malloc2<TYPE>(2 * HALF, 32);
  TYPE* const d_b = __gmem_malloc2<TYPE>(SIZES_IN_ORDER);
  float* const d_c = __gmem_malloc2<float>(2 * HALF, 16);
  memcpy_host_to_device2(d_a, a, 2 * HALF, 32);
  memcpy_host_to_device2(d_b, b, SIZES_IN_ORDER);
  kernel_launch(1, 2 * GROUP, 512 * sizeof(TYPE));
  kernel_setup_end();
  thread for (int block = 0; block < 1; block++) {
    __shared__ TYPE right[SIZES];
    tile_load(right, d_b, 0, 0);
    blocksync();
    thread for (int g = 0; g < 2; g++) {
      __fragment__ TYPE p[HALF][32];
      __fragment__ float sum[HALF][16];
      frag for (int i = 0; i < HALF; i++) frag for (int k = 0; k < 32; k++) p[i][k] = d_a[HALF * g + i][k];
      frag for (int i = 0; i < HALF; i++) frag for (int k = 0; k < 32; k++) p[i][k] *= 2.0f;
      frag for (int i = 0; i < HALF; i++) frag for (int k = 0; k < 32; k++) { p[i][k] += 0.5f; p[i][k] += 0.5f; }
      frag for (int i = 0; i < HALF; i++) frag for (int j = 0; j < 16; j++) sum[i][j] = 0.0f;
      FORM(sum, p, right, 32);
      frag for (int i = 0; i < HALF; i++) frag for (int j = 0; j < 16; j++) d_c[HALF * g + i][j] = sum[i][j];
    }
    blocksync();
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(c, d_c, 2 * HALF, 16);
  gmem_free(d_a);
  gmem_free(d_b);
  gmem_free(d_c);
}
"""


def in_registers(elem: str, group: int, form: str) -> str:
    sizes, parts = ((32, 16), "k, j") if form == "mma" else ((16, 32), "j, k")
    order = {"SIZES_IN_ORDER": f"{sizes[0]}, {sizes[1]}", "SIZES": f"{sizes[0]}][{sizes[1]}", "PLACE": parts}
    return filled(IN_REGISTERS, **order, TYPE=elem, GROUP=group, FORM=form, HALF=group // 2)


@pytest.mark.parametrize("form", ["mma", "mma_nt"])
@pytest.mark.parametrize(("elem", "group", "wgmma"), [("half", 32, False), ("half", 128, False), ("bf16", 128, True)])
def test_the_left_factor_can_be_in_registers(elem: str, group: int, form: str, wgmma: bool) -> None:
    text = in_registers(elem, group, form)
    a, b = small_integers(7, group, 32), small_integers(8, 32, 16)
    c = np.full((group, 16), np.nan, np.float32)
    factor = np.ascontiguousarray(b if form == "mma" else b.T)
    function(text, wgmma)(stored(elem, a), stored(elem, factor), c)
    assert np.array_equal(c, (2 * a + 1) @ b)


BY_THREADS = """#include <optigpu.h>
void f(half a[64][16], half b[16][16], float c[64][16]) {
  __requires("A: int * int -> float, B: int * int -> float");
  __reads("a ~> Matrix2(64, 16, A), b ~> Matrix2(16, 16, B)");
  __writes("c ~> Matrix2(64, 16, fun i j -> Sum(k in 0..16, 2 * A(i, k) * B(k, j)))");
  half* const d_a = __gmem_malloc2<half>(64, 16);
  half* const d_b = __gmem_malloc2<half>(16, 16);
  float* const d_c = __gmem_malloc2<float>(64, 16);
  memcpy_host_to_device2(d_a, a, 64, 16);
  memcpy_host_to_device2(d_b, b, 16, 16);
  kernel_launch(1, 128, 80 * 16 * sizeof(half));
  kernel_setup_end();
  thread for (int block = 0; block < 1; block++) {
    __shared__ half left[64][16];
    __shared__ half right[16][16];
    thread for (int t = 0; t < 16; t++) {
      thread for (int u = 0; u < 8; u++) {
        for (int n = 0; n < 8; n++) left[8 * u + n][t] = 2.0f * d_a[8 * u + n][t];
        for (int n = 0; n < 2; n++) right[t][2 * u + n] = d_b[t][2 * u + n];
      }
    }
    __fragment__ float sum[64][16];
    frag for (int i = 0; i < 64; i++) frag for (int j = 0; j < 16; j++) sum[i][j] = 0.0f;
    blocksync();
    mma(sum, left, right, 16);
    frag for (int i = 0; i < 64; i++) frag for (int j = 0; j < 16; j++) d_c[i][j] = sum[i][j];
    blocksync();
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(c, d_c, 64, 16);
  gmem_free(d_a);
  gmem_free(d_b);
  gmem_free(d_c);
}
"""


@BOTH_INSTRUCTIONS
def test_tiles_that_threads_have_written_are_factors(wgmma: bool) -> None:
    a, b = small_integers(9, 64, 16), small_integers(10, 16, 16)
    c = np.full((64, 16), np.nan, np.float32)
    function(BY_THREADS, wgmma)(stored("half", a), stored("half", b), c)
    assert np.array_equal(c, 2 * a @ b)


def test_a_product_before_the_barrier_is_refuted() -> None:
    early = BY_THREADS.replace("    blocksync();\n    mma(sum, left, right, 16);", "    mma(sum, left, right, 16);")
    assert not Verifier().verify(parsed(early)).verified


def test_tensor_cores_round_floats_to_tf32() -> None:
    """A tile of `tf32` is a copy of the floats, of which tensor cores ignore the lowest bits."""
    text = all_forms("tf32", 32, 32, 16, 16, source="float")
    rng = np.random.default_rng(11)
    a, b = (rng.standard_normal(shape).astype(np.float32) for shape in ((32, 16), (16, 16)))
    x, y = ((z.view(np.uint32) & 0xFFFFE000).view(np.float32).astype(np.float64) for z in (a, b))
    for c in multiplied(function(text), "float", a, b):
        assert np.allclose(c, x @ y, rtol=0, atol=1e-5)
        assert not np.allclose(c, a @ b, rtol=0, atol=1e-4)


@pytest.mark.skipif(nvcc() is None, reason="there is no nvcc")
def test_nvcc_takes_products_by_all_instructions() -> None:
    """`wgmma` is only in code for the one architecture that has it, sm_90a."""
    for text in (in_registers("bf16", 128, "mma"), all_forms("tf32", 128, 128, 64, 32)):
        code = emitted(text).text
        assert "wgmma" in code and "compute_90a" in " ".join(target_flags(nvcc() or "", ("80", "90"), code))
        compile_cuda(code, ("80", "90"), ("-Werror", "all-warnings"))
