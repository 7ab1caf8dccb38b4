"""Attempts to get a wrong GPU program verified: what C reads more often than the proof does, claims of other memory.

Each program is right as it stands, and wrong by one replacement.
"""

from __future__ import annotations

import pytest

from tests.check.test_thread_groups import Attack, on_blocks, try_out


def loop_that_reads(head: str) -> Attack:
    """After its last iteration a loop reads its bound once more."""
    body = f"""    __shared__ int n[256];
    thread for (int t = 0; t < 256; t++) n[t] = 8;
    blocksync();
    for ({head}) {{ blocksync(); }}
    blocksync(); // after
    thread for (int t = 0; t < 256; t++) n[t] = 100;"""
    return on_blocks(f"for ({head})", "", body, ("    blocksync(); // after\n", ""))


ATTACKS = [
    loop_that_reads("int k = 1; k < n[0]; k *= 2"),
    loop_that_reads("int k = 1; k < 20; k *= n[0]"),
    loop_that_reads("int k = 1; k < (b > 3 ? n[0] : 8); k *= 2"),
    loop_that_reads("int k = 0; k < n[0]; k++"),
    on_blocks(
        "memory_of_another_space",
        """__device__ void put(float p[1], float q[1]) {
  __consumes("&p[0] ~>[SMem] Cell");
  __produces("&p[0] ~~>[SMem] 1.0f");
  __writes("q ~> Matrix1Of(1, TReg, fun i -> 2.0f)");
  p[0] = 1.0f;
  q[0] = 2.0f;
}
""",
        """    thread for (int t = 0; t < 256; t++) {
      __xpreserves("&s[t] ~>[SMem] Cell");
      float x[1];
      put(&s[t], x);
    }""",
        ("[SMem] 1.0f", "[GMem] 1.0f"),
        ("&s[t] ~>[SMem] Cell", "&s[t] ~>[GMem] Cell"),
        ("&s[t] ~>[SMem] Cell", "&s[t] ~>[TReg] Cell"),
        ("Matrix1Of(1, TReg,", "Matrix1Of(1, GMem,"),
    ),
    Attack(
        "shared_memory_is_freed_with_all_of_its_sizes",
        """#include <optigpu.h>
void f(int B, float d[B][8]) {
  __requires("B >= 0");
  __preserves("d ~> Cells2Of(B, 8, GMem)");
  kernel_launch(B, 8, 32 * sizeof(float));
  float* const s = __smem_malloc2<float>(4, 8);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) thread for (int t = 0; t < 8; t++) s[DMINDEX1(B, b)][0][t] = d[b][t];
  kernel_teardown_begin();
  __smem_free2(s, 4, 8);
  kernel_kill();
}
""",
        (
            ("free2(s, 4, 8)", "free2(s, 8, 4)"),
            ("free2(s, 4, 8)", "free1(s, 4)"),
            ("free2(s, 4, 8)", "free3(s, 4, 8, 1)"),
        ),
    ),
]


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda a: a.name)
def test_what_is_right_verifies_and_what_is_wrong_does_not(attack: Attack) -> None:
    try_out(attack)
