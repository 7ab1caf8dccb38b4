"""The stand-in finds what is wrong in emitted kernels with pipelined loops and products of tiles: each piece of synchronisation,
and each number that says where something is, is changed in turn."""

from __future__ import annotations

import numpy as np
import pytest

from optigpu.check.verify import Verifier
from optigpu.codegen.cuda.tile_helpers import HELPERS
from optigpu.runtime.nvcc import compile_cuda, nvcc
from tests.support.cuda import emitted, parsed
from tests.support.tiles import Fault, FaultyText, filled, small_integers, stored

# c[r] = a[r] * b[r], for one matrix after the other.
LOOP = """#include <optigpu.h>
void f(int times, int count, half a[times][128][16 * count], half b[times][16 * count][16], float c[times][128][16],
       float d[times][count][256]) {
  __requires("A: int * int * int -> float, B: int * int * int -> float, times >= 0, count >= 0");
  __reads("a ~> Matrix3(times, 128, 16 * count, A), b ~> Matrix3(times, 16 * count, 16, B)");
  __writes("c ~> Matrix3(times, 128, 16, fun r i j -> Sum(k in 0..16 * count, A(r, i, k) * B(r, k, j)))");
  __writes("d ~> Matrix3(times, count, 256, fun r k t -> B(r, 16 * k, t / 16))");
  half* const d_a = __gmem_malloc3<half>(times, 128, 16 * count);
  half* const d_b = __gmem_malloc3<half>(times, 16 * count, 16);
  float* const d_c = __gmem_malloc3<float>(times, 128, 16);
  float* const d_d = __gmem_malloc3<float>(times, count, 256);
  memcpy_host_to_device3(d_a, a, times, 128, 16 * count);
  memcpy_host_to_device3(d_b, b, times, 16 * count, 16);
  kernel_launch(1, 256, 3 * 144 * 16 * sizeof(half) + 256 * sizeof(float));
  kernel_setup_end();
  thread for (int block = 0; block < 1; block++) {
    __shared__ float extra[256];
    float* const sum = __frag_malloc2<float>(2, 64, 16);
    for (int r = 0; r < times; r++) {
      thread for (int g = 0; g < 2; g++) {
        frag for (int i = 0; i < 64; i++) frag for (int j = 0; j < 16; j++) sum[DMINDEX1(2, g)][i][j] = 0.0f;
      }
      #pragma pipeline 3
      for (int k = 0; k < count; k++) {
        __shared__ half left[128][16];
        __shared__ half right[16][16];
        tile_load(left, d_a, r, 0, 16 * k);
        tile_load(right, d_b, r, 16 * k, 0);
        pipeline_wait();
        thread for (int t = 0; t < 256; t++) d_d[r][k][t] = right[0][t / 16];
        thread for (int g = 0; g < 2; g++) {
          mma(&sum[DMINDEX1(2, g)][0][0], &left[64 * g][0], right, 16);
        }
        // more
      }
      thread for (int g = 0; g < 2; g++) {
        frag for (int i = 0; i < 64; i++) {
          frag for (int j = 0; j < 16; j++) d_c[r][64 * g + i][j] = sum[DMINDEX1(2, g)][i][j];
        }
      }
      blocksync();
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host3(c, d_c, times, 128, 16);
  memcpy_device_to_host3(d, d_d, times, count, 256);
  gmem_free(d_a);
  gmem_free(d_b);
  gmem_free(d_c);
  gmem_free(d_d);
}
"""
# The same with a row that threads exchange: its barriers order the copies, too.
WITH_BARRIERS = filled(LOOP, **{
    "d_d[r][k][t] = right[0][t / 16];": "extra[t] = right[0][t % 16];",
    "// more": "blocksync();\n thread for (int t = 0; t < 256; t++) d_d[r][k][t] = extra[t / 16];\n blocksync();",
})  # fmt: skip
TIMES, COUNT, RUNS = 3, 5, 4
NOTHING = ";"
DESCRIPTOR = next(x.strip() for x in HELPERS["operand_at"].text.splitlines() if "return make_descriptor(" in x)
START, LEAD, STRIDE, ROW_BYTES = DESCRIPTOR.removeprefix("return make_descriptor(").removesuffix(");").split(", ")


def descriptor(lead: str = LEAD, stride: str = STRIDE, row_bytes: str = ROW_BYTES) -> Fault:
    return Fault(DESCRIPTOR, f"return make_descriptor({START}, {lead}, {stride}, {row_bytes});")


RIGHT = "RightAcross ? operand_at<false>(right, col, k + n) : operand_at<true>(right, k + n, col)"
PRODUCTS = {
    "lead and stride of an operand exchanged": descriptor(STRIDE, LEAD),
    "rows of an operand too far apart": descriptor(stride=f"2 * ({STRIDE})"),
    "another swizzle of an operand": descriptor(row_bytes="128"),
    "other summands of an operand": Fault(RIGHT, "operand_at<true>(right, k + n + 8, col)"),
    "products not begun": Fault("wgmma_begin(sums);", NOTHING),
    "products not ended": Fault("wgmma_end(sums);", NOTHING),
}
IN_TURNS = {
    "no wait for the copies": Fault("copies_wait<1>();", NOTHING),
    "a wait for one batch too few": Fault("copies_wait<1>();", "copies_wait<2>();"),
    "no barrier between the copies and their use": Fault("__syncthreads();", NOTHING, (0,)),
    "no barrier before the next run of the loop": Fault("__syncthreads();", NOTHING, (1, 2)),
    "no fence between the copies and their use": Fault("fence_async();", NOTHING, (0,)),
    "a batch that does not end": Fault("copies_commit();", NOTHING, (2,)),
    "the copies of another stage used": Fault("k % 3", "(k + 1) % 3"),
    "copies to the stage that is in use": Fault("k_next % 3", "k % 3"),
    "copies of the iteration before": Fault("k + 2", "k + 1"),
    "a stage not filled before the loop": Fault("1 < count", "2 < count && count < 2"),
    **PRODUCTS,
}
EMPTIED, FILLED = "await_barrier(empty_left[k_turn.stage], ", "await_barrier(full_left[k_turn.stage], "
LEAVE, ARRIVE = "leave_stage(empty_left[k_turn.stage]);", "arrive_at_barrier(full_left[k_turn.stage]);"
COPY, PLACE = "bulk_copy(left[k_turn.stage], d_a_tiles, full_left[k_turn.stage], ", "(long long)16 * k, 0, r);"
EXPECT = "expect_bytes(barrier, Rows * Cols * sizeof(T));"
BY_A_PRODUCER = {
    "stages never left": Fault(LEAVE, NOTHING),
    "stages left twice": Fault(LEAVE, LEAVE + LEAVE),
    "stages left before their use": Fault(FILLED + "k_turn.parity);", FILLED + "k_turn.parity); " + LEAVE),
    "one user too few counted": Fault("start_barriers<3>(empty_left, 8);", "start_barriers<3>(empty_left, 7);"),
    "one user too many counted": Fault("start_barriers<3>(empty_left, 8);", "start_barriers<3>(empty_left, 9);"),
    "two producers counted": Fault("start_barriers<3>(full_left, 1);", "start_barriers<3>(full_left, 2);"),
    "the producer does not arrive": Fault(ARRIVE, NOTHING),
    "the producer arrives twice": Fault(ARRIVE, ARRIVE + ARRIVE),
    "the producer does not wait": Fault(EMPTIED + "k_turn.parity ^ 1u);", NOTHING),
    "the producer waits for the other parity": Fault(EMPTIED + "k_turn.parity ^ 1u);", EMPTIED + "k_turn.parity);"),
    "the users do not wait": Fault(FILLED + "k_turn.parity);", NOTHING),
    "the users wait for the other parity": Fault(FILLED + "k_turn.parity);", FILLED + "k_turn.parity ^ 1u);"),
    "no bytes expected": Fault(EXPECT, NOTHING),
    "too many bytes expected": Fault(EXPECT, EXPECT.replace("sizeof(T)", "sizeof(T) + 16")),
    "barriers not made known to copies": Fault("barriers_started();", NOTHING),
    "barriers not made known to threads": Fault("__syncthreads();", NOTHING, (-1,)),
    "stages not counted by the producer": Fault("k_turn.next();", NOTHING, (0,)),
    "stages not counted by the users": Fault("k_turn.next();", NOTHING, (1,)),
    "parity not changed": Fault("parity ^= 1;", NOTHING),
    "rows and columns of a place exchanged": Fault(COPY + PLACE, COPY + "0, (long long)16 * k, r);"),
    "copies to another stage": Fault(COPY + PLACE, COPY.replace("left[k_turn.stage]", "left[0]", 1) + PLACE),
    "no barrier among the users before they read": Fault("users_sync<256>();", NOTHING, (0,)),
    "no barrier among the users before they write": Fault("users_sync<256>();", NOTHING, (1,)),
    "a barrier for threads that do not come": Fault("users_sync<256>();", "users_sync<384>();", (0,)),
    "registers not given back": Fault("fewer_registers<40>();", NOTHING),
    "more registers than there are": Fault("more_registers<232>();", "more_registers<240>();"),
    **PRODUCTS,
}


def ends_well(faulty: FaultyText, name: str) -> bool:
    """One run: no failure, and right results."""
    a, b = small_integers(1, TIMES, 128, 16 * COUNT), small_integers(2, TIMES, 16 * COUNT, 16)
    c, d = np.full((TIMES, 128, 16), np.nan, np.float32), np.full((TIMES, COUNT, 256), np.nan, np.float32)
    failed = faulty.failure(name, stored("half", a), stored("half", b), c, d)
    return not failed and np.array_equal(c, a @ b) and np.array_equal(d, np.repeat(b[:, ::16, :], 16, axis=2))


@pytest.fixture(scope="module")
def in_turns() -> FaultyText:
    program = parsed(LOOP)
    assert Verifier().verify(program).verified
    return FaultyText(program, IN_TURNS)


@pytest.fixture(scope="module")
def by_a_producer() -> FaultyText:
    program = parsed(WITH_BARRIERS)
    assert Verifier().verify(program).verified
    return FaultyText(program, BY_A_PRODUCER)


@pytest.mark.parametrize("fault", IN_TURNS)
def test_each_fault_of_copies_in_turns_is_found(
    fault: str, in_turns: FaultyText, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPTIGPU_STANDIN_CAPABILITY", "8")
    assert not all(ends_well(in_turns, fault) for _ in range(RUNS))


@pytest.mark.parametrize("fault", BY_A_PRODUCER)
def test_each_fault_of_copies_by_a_producer_is_found(fault: str, by_a_producer: FaultyText) -> None:
    assert not all(ends_well(by_a_producer, fault) for _ in range(RUNS))


def test_without_a_fault_all_runs_end_well(
    in_turns: FaultyText, by_a_producer: FaultyText, monkeypatch: pytest.MonkeyPatch
) -> None:
    for capability in ("8", "9"):
        monkeypatch.setenv("OPTIGPU_STANDIN_CAPABILITY", capability)
        assert all(ends_well(text, "") for text in (in_turns, by_a_producer) for _ in range(RUNS))


@pytest.mark.skipif(nvcc() is None, reason="there is no nvcc")
def test_nvcc_takes_both_forms_of_a_pipeline() -> None:
    compile_cuda(emitted(WITH_BARRIERS).text, ("80", "90"), ("-Werror", "all-warnings"))
