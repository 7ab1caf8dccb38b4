"""`tile_load` and pipelined loops on the stand-in: which elements a copy has, and the loops that run ahead."""

from __future__ import annotations

import itertools
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from optigpu.check.verify import Verifier
from optigpu.runtime.cuda import CudaFunction
from tests.support.cuda import emitted, on_standin, parsed
from tests.support.tiles import BOTH_FORMS, Fault, FaultyText, as_floats, filled, stored, unset

# Tile k begins `down` rows and `across` columns after the one before; all of them are copied `times` times.
PIPELINED = """#include <optigpu.h>
void f(int n, int m, PLACE row, PLACE col, int down, int across, int count, int times, TYPE a[n][m],
       TYPE out[times][count][ROWS][COLS]) {
  __requires("A: int * int -> float, n >= 0, m >= 0, count >= 0, times >= 0, count <= 1000");
  __requires("0 <= down, down <= 1000, 0 <= across, across <= 1000");
  __requires("-LIMIT <= row, row <= LIMIT, -LIMIT <= col, col <= LIMIT");
  __reads("a ~> Matrix2(n, m, A)");
  __writes("out ~> Matrix4(times, count, ROWS, COLS, fun r k i j -> "
           "0 <= row + down * k + i && row + down * k + i < n && 0 <= col + across * k + j && col + across * k + j < m ? "
           "A(row + down * k + i, col + across * k + j) : 0)");
  TYPE* const d_a = __gmem_malloc2<TYPE>(n, m);
  TYPE* const d_out = __gmem_malloc4<TYPE>(times, count, ROWS, COLS);
  memcpy_host_to_device2(d_a, a, n, m);
  kernel_launch(1, 128, STAGES * ROWS * COLS * sizeof(TYPE));
  kernel_setup_end();
  thread for (int block = 0; block < 1; block++) {
    for (int r = 0; r < times; r++) {
      #pragma pipeline STAGES
      for (int k = 0; k < count; k++) {
        __shared__ TYPE tile[ROWS][COLS];
        tile_load(tile, d_a, row + down * k, col + across * k);
        pipeline_wait();
        thread for (int t = 0; t < 128; t++) {
          if (t < ROWS) {
            for (int j = 0; j < COLS; j++) {
              d_out[r][k][t][j] = tile[t][j];
            }
          }
        }
      }
      blocksync();
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host4(out, d_out, times, count, ROWS, COLS);
  gmem_free(d_a);
  gmem_free(d_out);
}
"""
LIMIT = 1 << 50  # of the first row and column in 64 bits


def pipelined(elem: str, rows: int, cols: int, stages: int, place: str = "int") -> str:
    limit = 1000 if place == "int" else LIMIT
    return filled(PIPELINED, TYPE=elem, ROWS=rows, COLS=cols, STAGES=stages, PLACE=place, LIMIT=limit)


def plain(elem: str, rows: int, cols: int) -> str:
    """The same without a pipeline: the copy ends at a barrier."""
    text = filled(pipelined(elem, rows, cols, 1), **{"#pragma pipeline 1\n": "", "pipeline_wait": "blocksync"})
    end = "      }\n      blocksync();\n"
    assert text.count(end) == 1
    return text.replace(end, "        blocksync();\n      }\n")


@cache
def copying(text: str) -> CudaFunction:
    program = parsed(text)
    assert Verifier().verify(program).verified
    return on_standin(program)


def tiles(a: NDArray[Any], at: tuple[int, int], step: tuple[int, int], shape: tuple[int, ...]) -> NDArray[Any]:
    """The tiles of an array, with zeros outside of it."""
    out = np.zeros(shape)
    for k, i, j in itertools.product(*map(range, shape[1:])):
        x, y = at[0] + step[0] * k + i, at[1] + step[1] * k + j
        if 0 <= x < a.shape[0] and 0 <= y < a.shape[1]:
            out[:, k, i, j] = a[x, y]
    return out


def assert_copied(
    text: str,
    elem: str,
    sizes: tuple[int, int],
    at: tuple[int, int],
    step: tuple[int, int] = (0, 0),
    tile: tuple[int, int] = (8, 16),
    count: int = 1,
    times: int = 1,
) -> None:
    numbers = np.random.default_rng(1).integers(1, 100, sizes).astype(np.float32)
    out = unset(elem, times, count, *tile)
    copying(text)(a=stored(elem, numbers), out=out, row=at[0], col=at[1], down=step[0], across=step[1])
    assert np.array_equal(as_floats(elem, out), tiles(numbers, at, step, out.shape))


SHAPES = [
    ("float", 8, 8), ("half", 16, 16), ("bf16", 8, 16),  # rows of 32 bytes
    ("half", 8, 32), ("tf32", 24, 16),  # of 64
    ("bf16", 16, 64), ("float", 8, 32),  # of 128
    ("half", 8, 128), ("tf32", 8, 64), ("bf16", 8, 192),  # of several panels
    ("half", 8, 24), ("float", 5, 32), ("float", 12, 4), ("bf16", 8, 8), ("half", 8, 20), ("float", 3, 7),  # plain rows
]  # fmt: skip
PLACES = [(0, 0), (-3, 0), (0, -8), (-3, -5), (13, 48), (13, 50), (19, 63), (5, 8), (5, 9)]
OUTSIDE = [(20, 0), (-300, 0), (0, 64), (0, -300), (1000, 1000), (-1000, -1000)]


@BOTH_FORMS
@pytest.mark.parametrize(("elem", "rows", "cols"), SHAPES)
def test_a_tile_has_zeros_outside_of_the_array(
    elem: str, rows: int, cols: int, capability: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPTIGPU_STANDIN_CAPABILITY", capability)
    text = pipelined(elem, rows, cols, 2)
    for at in (*PLACES, *OUTSIDE):
        assert_copied(text, elem, (20, 64), at, tile=(rows, cols))
    for sizes in (
        (20, 63),
        (1, 1),
        (7, 1),
        (1, 9),
        (0, 0),
        (0, 8),
        (8, 0),
    ):  # no rows at multiples of 16 bytes, or none at all
        assert_copied(text, elem, sizes, (-1, -1), tile=(rows, cols))


@pytest.mark.parametrize(("elem", "rows", "cols"), [("half", 8, 32), ("float", 8, 64), ("half", 8, 20), ("bf16", 3, 8)])
def test_a_copy_without_a_pipeline_ends_at_the_barrier(elem: str, rows: int, cols: int) -> None:
    text = plain(elem, rows, cols)
    assert "copies_wait<0>();\n" in emitted(text).text and "_bulk" not in emitted(text).text
    for at, sizes in itertools.product([*PLACES, *OUTSIDE], [(20, 64), (9, 63)]):
        assert_copied(text, elem, sizes, at, (3, 8), (rows, cols), count=2, times=2)


@pytest.mark.parametrize(("elem", "rows", "cols"), SHAPES)
def test_bulk_copies_need_rows_of_their_sizes(elem: str, rows: int, cols: int) -> None:
    text = emitted(pipelined(elem, rows, cols, 2)).text
    size = 2 if elem in ("half", "bf16") else 4
    swizzled = rows % 8 == 0 and (cols * size in (32, 64) or cols * size % 128 == 0)
    assert ("f_kernel_bulk" in text) == swizzled == ("load_rows" not in text)


@BOTH_FORMS
@pytest.mark.parametrize("stages", [1, 2, 3, 4, 9])
def test_a_pipelined_loop_has_any_number_of_iterations(
    stages: int, capability: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fewer than stages, none, and several times in a sequential loop, whose runs begin with any stage and parity."""
    monkeypatch.setenv("OPTIGPU_STANDIN_CAPABILITY", capability)
    text = pipelined("half", 8, 16, stages)
    for count, times in itertools.product([0, 1, 2, 3, 4, 7], [0, 1, 3]):
        for _ in range(2):  # copies end at other times
            assert_copied(text, "half", (20, 64), (-1, 0), (2, 8), count=count, times=times)


@BOTH_FORMS
@pytest.mark.parametrize(("elem", "cols"), [("uint8_t", 32), ("int", 16), ("double", 8)])
def test_types_that_bulk_copies_do_not_know_are_copied_by_the_threads(
    elem: str, cols: int, capability: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPTIGPU_STANDIN_CAPABILITY", capability)
    text = pipelined(elem, 8, cols, 2)
    text = text if elem == "double" else text.replace("int * int -> float", "int * int -> int")
    assert "_bulk" not in emitted(text).text
    a = stored(elem, np.random.default_rng(1).integers(1, 100, (20, 64)))
    for at in (*PLACES, *OUTSIDE):
        out = stored(elem, np.full((1, 2, 8, cols), 99))
        copying(text)(a=a, out=out, row=at[0], col=at[1], down=3, across=8)
        assert np.array_equal(out, tiles(a, at, (3, 8), out.shape))


@BOTH_FORMS
@pytest.mark.parametrize("place", ["int64_t", "uint64_t"])
def test_places_of_64_bits_are_not_cut_off(place: str, capability: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPTIGPU_STANDIN_CAPABILITY", capability)
    text = pipelined("half", 8, 16, 2, place)
    if place == "uint64_t":
        text = text.replace(f"-{LIMIT} <= row, row", "row").replace(f"-{LIMIT} <= col, col", "col")
    far = [1 << 32, (1 << 32) + 4, 1 << 31, (1 << 31) - 4, LIMIT]
    places = [0, 4, *far, *([-x for x in far] if place == "int64_t" else [])]
    for at in itertools.product(places, [0, 8]):
        assert_copied(text, "half", (20, 64), at)
        assert_copied(text, "half", (20, 64), (at[1], at[0]))


def test_a_producer_copies_nothing_that_the_kernel_writes() -> None:
    """It copies at any time: if the kernel writes what is copied, the threads copy it themselves."""
    text = pipelined("half", 8, 16, 2)
    write = "thread for (int t = 0; t < 128; t++) { if (n == 7) { ARRAY = 0.0f; } }\n    for (int r"
    assert "f_kernel_bulk" in emitted(text.replace("for (int r", write.replace("ARRAY", "d_out[0][0][0][0]"))).text
    assert "f_kernel_bulk" not in emitted(text.replace("for (int r", write.replace("ARRAY", "d_a[0][0]"))).text


@pytest.mark.parametrize(
    ("threads", "has_room"),
    [(64, True), (128, True), (256, True), (896, True), (48, False), (192, False), (1024, False)],
)
def test_a_producer_is_one_warp_more_or_four(threads: int, has_room: bool) -> None:
    """Four where they give registers to the others: beside so many, a block has room for a multiple of them."""
    text = filled(
        pipelined("half", 8, 16, 2), **{"launch(1, 128,": f"launch(1, {threads},", "t < 128": f"t < {threads}"}
    )
    code = emitted(text).text
    assert ("f_kernel_bulk" in code) == has_room
    if has_room:
        more = 32 if threads <= 128 else 128
        assert f"f_kernel_bulk<<<1, {threads + more}, " in code
        assert code.count("_registers<") == (0 if threads <= 128 else 2)
        assert_copied(text, "half", (20, 64), (0, 0), (2, 8), count=3)


def test_what_a_producer_cannot_know_is_copied_by_the_threads() -> None:
    """It runs the loops and conditions around the copies, and nothing else: these do not depend on memory."""
    text = pipelined("half", 8, 16, 2)
    for old, new in (
        (
            "tile_load(tile, d_a, row + down * k,",
            "const int first = d_a[0][0] > 0.0f ? 1 : 0;\n tile_load(tile, d_a, row + first,",
        ),
        ("for (int r = 0; r < times; r++) {", "for (int r = 0; r < times; r++) if (d_a[0][0] > 0.0f) {"),
        ("#pragma pipeline 2\n", "const int last = d_a[0][0] > 0.0f ? count : 0;\n#pragma pipeline 2\n"),
    ):
        changed = filled(text, **{old: new}).replace("k < count", "k < last" if "last" in new else "k < count")
        assert "f_kernel_bulk" not in emitted(changed).text


FAULTS = {
    "zeros outside left out": Fault("inside ? 16 : 0", "16"),
    "rows above copied": Fault("-i <= row", "true", (0,)),
    "rows below copied": Fault("row < height - i", "true", (0,)),
    "columns before copied": Fault("-j <= col", "true", (0,)),
    "columns behind copied": Fault("col < width - j", "true", (0,)),
    "elements of rows above copied": Fault("-i <= row", "true", (1,)),
    "elements of rows below copied": Fault("row < height - i", "true", (1,)),
    "elements of columns before copied": Fault("-j <= col", "true", (1,)),
    "elements of columns behind copied": Fault("col < width - j", "true", (1,)),
    "unaligned pieces copied": Fault("width % piece == 0", "true"),
    "unaligned places copied": Fault("col % piece == 0", "true"),
    "rows not swizzled as bulk copies are": Fault("(row_bytes / 16)", "1"),
    "only one panel copied": Fault("n * Tile::row_bytes < Cols * sizeof(T)", "n < 1"),
    "panels copied to one place": Fault("to.data + n * Tile::panel_bytes", "to.data"),
    "places cut off": Fault("return (int)(at < -2146435072 ? -2146435072 : at > 2146435072 ? 2146435072 : at);", "return (int)at;"),
}  # fmt: skip


@pytest.fixture(scope="module")
def faulty() -> FaultyText:
    return FaultyText(parsed(pipelined("half", 8, 128, 2, "int64_t")), FAULTS)


@pytest.mark.parametrize("fault", ["", *FAULTS])
def test_each_fault_of_a_copy_is_found(fault: str, faulty: FaultyText, monkeypatch: pytest.MonkeyPatch) -> None:
    ends_well = []
    for capability, width, at in itertools.product("89", (128, 127), [*PLACES, *OUTSIDE, (1 << 32, 1 << 32)]):
        monkeypatch.setenv("OPTIGPU_STANDIN_CAPABILITY", capability)
        numbers = np.random.default_rng(1).integers(1, 100, (20, width)).astype(np.float32)
        out = unset("half", 1, 2, 8, 128)
        failed = faulty.failure(fault, a=stored("half", numbers), out=out, row=at[0], col=at[1], down=3, across=8)
        ends_well.append(not failed and np.array_equal(as_floats("half", out), tiles(numbers, at, (3, 8), out.shape)))
    assert all(ends_well) == (fault == "")
