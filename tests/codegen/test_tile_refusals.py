"""Tiles, fragments and pipelined loops that no instruction takes are refused at their place; what the checker refuses is, too."""

from __future__ import annotations

import pytest

from optigpu.syntax.diagnostic import InputError
from tests.support.cuda import emitted
from tests.support.verdicts import VERIFIED, verdict_of

PRODUCT = """#include <optigpu.h>
__device__ float first(half* x) {
  __requires("X: int -> float");
  __reads("x ~> Matrix1Of(1, SMem, X)");
  __ensures("_Res == X(0)");
  return x[0];
}
void f(int n, half a[64][32], half b[32][16], float c[64][16]) {
  __requires("A: int * int -> float, B: int * int -> float");
  __reads("a ~> Matrix2(64, 32, A), b ~> Matrix2(32, 16, B)");
  __writes("c ~> Cells2(64, 16)");
  half* const d_a = __gmem_malloc2<half>(64, 32);
  half* const d_b = __gmem_malloc2<half>(32, 16);
  float* const d_c = __gmem_malloc2<float>(64, 16);
  memcpy_host_to_device2(d_a, a, 64, 32);
  memcpy_host_to_device2(d_b, b, 32, 16);
  kernel_launch(1, 128, 2560 * sizeof(half));
  kernel_setup_end();
  thread for (int block = 0; block < 1; block++) {
    __shared__ half left[64][32];
    __shared__ half right[32][16];
    __fragment__ half p[64][32];
    __fragment__ float v[64];
    __fragment__ float sum[64][16];
    tile_load(left, d_a, 0, 0);
    tile_load(right, d_b, 0, 0);
    blocksync();
    frag for (int i = 0; i < 64; i++) {
      frag for (int k = 0; k < 32; k++) p[i][k] = d_a[i][k];
    }
    frag for (int i = 0; i < 64; i++) {
      v[i] = 0.0f;
      frag for (int j = 0; j < 16; j++) sum[i][j] = 0.0f;
    }
    mma(sum, left, right, 32);
    frag for (int i = 0; i < 64; i++) {
      frag for (int j = 0; j < 16; j++) d_c[i][j] = sum[i][j];
    }
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
CALL, ZERO = "mma(sum, left, right, 32);", "frag for (int j = 0; j < 16; j++) sum[i][j] = 0.0f;"
NO_FACTOR = (
    "is no factor for tensor cores: these have rows of 32, 64 or multiples of 128 bytes, and a multiple of 8 rows"
)
FROM_A_COLUMN = "is used from a column on that is no multiple of 8"
OF_REGISTERS = "a left factor in registers has the rows of the result, and as many columns as are added up"
BY_INDICES = "an element of the fragment `sum` is accessed by the indices of the loops over fragments around, and by nothing else"
ROWS_AND_COLUMNS = "a fragment of 128 threads has a multiple of 64 rows, and of 8 columns"
# Name -> a piece of the text, what stands in its place, where the error is, and what it says
UNFIT = {
    "too few summands": (CALL, "mma(sum, left, right, 8);", "mma(", "tensor cores add up multiples of 16 products of `half`"),
    "summands not a number": (CALL, "mma(sum, left, right, n);", "mma(", "tensor cores add up multiples of 16 products of `half`"),
    "a left factor from any column": (CALL, "mma(sum, &left[0][4], right, 16);", "mma(", f"the tile `left` {FROM_A_COLUMN}"),
    "from a column that is not known": (CALL, "mma(sum, &left[0][n], right, 16);", "mma(", f"the tile `left` {FROM_A_COLUMN}"),
    "a right factor from any column": (CALL, "mma(sum, left, &right[0][3], 32);", "mma(", f"the tile `right` {FROM_A_COLUMN}"),
    "a transposed factor in registers": (
        CALL, "mma_tn(sum, p, right, 32);", "mma_tn(", "a left factor in registers is not transposed",
    ),
    "too few columns in registers": (CALL, "mma(sum, p, right, 16);", "mma(", OF_REGISTERS),
    "too many columns of a result": (
        "sum[64][16]", "sum[64][24]", "mma(",
        "the fragment that a product of tiles is added to has multiples of 64 and 16 rows and columns",
    ),
    "rows of a fragment": ("sum[64][16]", "sum[96][16]", "float sum", ROWS_AND_COLUMNS),
    "columns of a fragment": ("sum[64][16]", "sum[64][12]", "float sum", ROWS_AND_COLUMNS),
    "rows of a vector": ("float v[64]", "float v[32]", "float v", ROWS_AND_COLUMNS),
    "sizes of a fragment that are not known": ("sum[64][16]", "sum[n][16]", "float sum", "the sizes of the fragment `sum`"),
    "bytes of the rows of a tile": ("right[32][16]", "right[32][24]", "mma(", f"the tile `right` {NO_FACTOR}"),
    "rows of a tile": ("left[64][32]", "left[60][32]", "mma(", f"the tile `left` {NO_FACTOR}"),
    "sizes of a tile that are not known": ("left[64][32]", "left[n][32]", "tile_load(left", "the sizes of `left` are not numbers"),
    "another element": (ZERO, ZERO.replace("sum[i][j]", "sum[i][j + 1]"), "sum[i][j + 1]", BY_INDICES),
    "an element with exchanged indices": (ZERO, ZERO.replace("sum[i][j]", "sum[j][i]"), "sum[j][i]", BY_INDICES),
    "an element of no loop": (CALL, "sum[0][0] = 1.0f;", "sum[0][0]", BY_INDICES),
    "an element in a loop of each thread": (ZERO, ZERO.replace("frag for", "for"), "sum[i][j] = 0", BY_INDICES),
    "a row of a vector by another index": (
        ZERO, ZERO.replace("sum[i][j]", "v[j]"), "v[j]",
        "an element of the fragment `v` is accessed by the index of the loop over rows around, and by nothing else",
    ),
    "a loop over some rows": (
        "frag for (int i = 0; i < 64; i++) {\n      v", "frag for (int i = 0; i < 32; i++) {\n      v",
        "frag for (int i = 0; i < 32", "this loop over rows of fragments has not a multiple of 64 iterations from 0 on",
    ),
    "a loop over some columns": (
        ZERO, ZERO.replace("16", "12"), "frag for (int j = 0; j < 12",
        "this loop over columns of fragments has not a multiple of 8",
    ),
    "a loop over the last columns": (
        ZERO, ZERO.replace("j = 0", "j = 8"), "frag for (int j = 8", "this loop over columns of fragments has not a multiple of 8",
    ),
    "a loop over columns that are not known": (
        ZERO, ZERO.replace("16", "n"), "frag for (int j = 0; j < n", "this loop over columns of fragments has not a multiple of 8",
    ),
    "a pointer into a tile": (
        CALL, "v[i] = first(&left[0][0]);".join(("frag for (int i = 0; i < 64; i++) { ", " }")), "first(&left",
        "`first` gets a pointer into the tile `left`, whose elements only the kernel itself finds",
    ),
}  # fmt: skip


def changed(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new, 1)


def place(text: str, piece: str) -> int:
    return text[: text.index(piece, text.index("kernel_setup_end"))].count("\n") + 1


def test_the_programs_are_verified_and_emitted() -> None:
    for text in (PRODUCT, COPIES):
        assert verdict_of(text) == VERIFIED
        assert emitted(text).text


@pytest.mark.parametrize("name", UNFIT)
def test_what_no_instruction_takes_is_refused_at_its_place(name: str) -> None:
    old, new, where, why = UNFIT[name]
    text = changed(PRODUCT, old, new)
    with pytest.raises(InputError) as e:
        emitted(text)
    d = e.value.diagnostic
    assert (d.code, d.loc.line) == ("OG409", place(text, where)) and d.message.startswith(why)


def test_a_left_factor_in_registers_has_the_rows_of_the_result() -> None:
    text = changed(changed(PRODUCT, "p[64][32]", "p[128][32]"), CALL, "mma(sum, p, right, 32);")
    with pytest.raises(InputError, match=OF_REGISTERS):
        emitted(text)


@pytest.mark.parametrize("elem", ["float", "tf32"])
def test_a_left_factor_in_registers_has_16_bits(elem: str) -> None:
    text = PRODUCT.replace("half p", "tf32 p").replace("half right", "tf32 right")
    text = text.replace("half b[", f"{elem} b[").replace(
        "half* const d_b = __gmem_malloc2<half>", f"{elem}* const d_b = __gmem_malloc2<{elem}>"
    )
    text = changed(changed(text, CALL, "mma_nt(sum, p, right, 16);"), "p[64][32]", "p[64][16]")
    with pytest.raises(InputError, match="a left factor in registers has numbers of 16 bits") as e:
        emitted(text)
    assert (e.value.diagnostic.code, e.value.diagnostic.loc.line) == ("OG409", place(text, "mma_nt("))


@pytest.mark.parametrize(
    ("changes", "where", "why"),
    [
        (
            [
                ("void f(int n,", "void f(int n, int64_t w,"),
                ("tile_load(left, d_a, 0,", "tile_load(left, d_a, w * w * n,"),
            ],
            "tile_load(left",
            "the place of this tile may need more than 64 bits",
        ),
        (
            [("1, 128, ", "1, n, ")],
            "half p",
            "the sizes of the fragment `p`, or the threads that have it together, are not numbers",
        ),
    ],
)
def test_what_the_emission_does_not_know_is_refused(changes: list[tuple[str, str]], where: str, why: str) -> None:
    text = PRODUCT
    for old, new in changes:
        text = changed(text, old, new)
    with pytest.raises(InputError) as e:
        emitted(text)
    d = e.value.diagnostic
    assert (d.code, d.message, d.loc.line) == ("OG409", why, place(text, where))


def test_the_threads_that_copy_a_tile_are_a_number() -> None:
    text = changed(COPIES, "kernel_launch(1, 64,", "kernel_launch(1, n,").replace("j < 64; j++", "j < n; j++")
    with pytest.raises(InputError, match="the threads that copy a tile together are no known number") as e:
        emitted(text)
    assert (e.value.diagnostic.code, e.value.diagnostic.loc.line) == ("OG409", place(text, "tile_load"))


COPIES = """#include <optigpu.h>
void f(int n, float a[n][64], float c[n][64]) {
  __requires("A: int * int -> float, 0 <= n");
  __reads("a ~> Matrix2(n, 64, A)");
  __writes("c ~> Matrix2(n, 64, A)");
  float* const d_a = __gmem_malloc2<float>(n, 64);
  float* const d_c = __gmem_malloc2<float>(n, 64);
  memcpy_host_to_device2(d_a, a, n, 64);
  kernel_launch(1, 64, 2 * 64 * sizeof(float));
  kernel_setup_end();
  thread for (int block = 0; block < 1; block++) {
    #pragma pipeline 2
    for (int k = 0; k < n; k++) {
      __shared__ float t[1][64];
      tile_load(t, d_a, k, 0);
      pipeline_wait();
      thread for (int j = 0; j < 64; j++) d_c[k][j] = t[0][j];
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(c, d_c, n, 64);
  gmem_free(d_a);
  gmem_free(d_c);
}
"""
LOOP, COPY = "for (int k = 0; k < n; k++)", "tile_load(t, d_a, k, 0);"
UP_FROM_0 = "a pipelined loop counts up from 0 by one"
# Name -> a piece and what stands in its place; the verdict of the checker; place and message of the emission
PIPELINES = {
    "it begins elsewhere": ((LOOP, "for (int k = 1; k < n; k++)"), "OG316", "for (int k", UP_FROM_0),
    "it counts by two": ((LOOP, "for (int k = 0; k < n; k += 2)"), "OG316", "for (int k", UP_FROM_0),
    "it counts down": ((LOOP, "for (int k = n - 1; k >= 0; k--)"), VERIFIED, "for (int k", UP_FROM_0),
    "a barrier runs ahead": (
        (COPY, f"{COPY}\n      blocksync();"), "OG372", "blocksync();\n      pipeline_wait",
        "a barrier stands in the part of a pipelined loop that runs ahead",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PIPELINES)
def test_a_pipelined_loop_that_cannot_be_emitted_is_refused(name: str) -> None:
    change, verdict, where, why = PIPELINES[name]
    text = changed(COPIES, *change)
    assert verdict_of(text).startswith(verdict)
    with pytest.raises(InputError) as e:
        emitted(text)
    d = e.value.diagnostic
    assert (d.code, d.message, d.loc.line) == ("OG409", why, place(text, where))


# Wrong twins of the two programs: the piece that changes, what stands in its place, and what the checker says
USE = "thread for (int j = 0; j < 64; j++) d_c[k][j] = t[0][j];"
REFUTED = {
    "no barrier before the product": (PRODUCT, "    blocksync();\n    frag for", "    frag for", "OG341"),
    "a product of a tile and itself": (PRODUCT, CALL, "mma(sum, p, right, 16); mma(p, p, right, 16);", "OG114"),
    "a tile used before the wait": (COPIES, f"pipeline_wait();\n      {USE}", f"{USE}\n      pipeline_wait();", "OG303"),
    "no wait": (COPIES, "pipeline_wait();\n", "", "OG372"),
    "two waits": (COPIES, "pipeline_wait();", "pipeline_wait(); pipeline_wait();", "OG372"),
    "another row copied": (COPIES, COPY, "tile_load(t, d_a, k + 1, 0);", "OG305"),
    "the copied array written": (COPIES, USE, f"{USE} thread for (int j = 0; j < 64; j++) d_a[k][j] = 0.0f;", "OG302"),
    "a tile written by the rest": (COPIES, USE, f"thread for (int j = 0; j < 64; j++) t[0][j] = 0.0f; {USE}", "OG303"),
    "a register that runs ahead": (COPIES, COPY, f"{COPY} float x[1];", "OG372"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUTED)
def test_wrong_twins_are_rejected_by_the_checker(name: str) -> None:
    text, old, new, code = REFUTED[name]
    assert verdict_of(changed(text, old, new)).split()[0] == code


def test_too_much_shared_memory_is_refused_with_what_helps() -> None:
    """All stages of a pipelined loop count."""
    text = changed(COPIES, "t[1][64]", "t[128][64]")
    for stages, fits in ((1, True), (7, True), (8, False)):
        staged = changed(text, "pipeline 2", f"pipeline {stages}")
        if fits:
            assert emitted(staged).text
            continue
        with pytest.raises(InputError) as e:
            emitted(staged)
        d = e.value.diagnostic
        bytes_ = stages * 128 * 64 * 4
        assert d.code == "OG406" and d.loc.line == staged[: staged.index("kernel_launch")].count("\n") + 1
        assert d.message == f"the shared arrays of this kernel take {bytes_} bytes, and a block has at most 232448"
        assert d.help == "smaller tiles, or fewer stages of a pipelined loop"
