"""Barriers: where they are needed, where they may stand, and what needs none."""

from __future__ import annotations

from tests.support.gpu_twins import SYNC, GpuPair, GpuWrong, rows

BARRIERS = [
    GpuPair(
        "write, barrier, read elsewhere",
        rows(
            """
            __shared__ float s[8];
            thread for (int t = 0; t < 8; t++) s[t] = d[b][t];
            blocksync();
            thread for (int t = 0; t < 8; t++) d[b][t] = s[7 - t];
            """,
            "A(b, 7 - t)",
            shared="8 * sizeof(float)",
        ),
        (
            GpuWrong(SYNC, ";\n", "OG210"),
            GpuWrong(SYNC, "warpsync();\n", "OG221"),
            GpuWrong("s[7 - t]", "s[8 - t]", "OG201"),
            GpuWrong("d[b][t] = s[7 - t]", "d[b][7 - t] = s[7 - t]", "OG212"),
            GpuWrong("s[t] = d[b][t]", "s[t / 2] = d[b][t]", "OG210"),
            GpuWrong("int t = 0; t < 8; t++) s[t]", "int t = 0; t < 4; t++) s[t]", "OG228"),
        ),
    ),
    GpuPair(
        "write after read in a straight line",
        rows(
            """
            __shared__ float s[8];
            float* const x = __treg_malloc0<float>();
            thread for (int t = 0; t < 8; t++) s[t] = d[b][t];
            blocksync();
            thread for (int t = 0; t < 8; t++) x[DMINDEX1(8, t)] = s[(t + 1) % 8];
            __syncthreads();
            thread for (int t = 0; t < 8; t++) s[t] = 0.0f;
            thread for (int t = 0; t < 8; t++) d[b][t] = x[DMINDEX1(8, t)] + s[t];
            """,
            "A(b, (t + 1) % 8)",
            shared="8 * sizeof(float)",
        ),
        (
            GpuWrong("__syncthreads();\n", ";\n", "OG210"),
            GpuWrong("blocksync();\n", ";\n", "OG210"),
            GpuWrong("+ s[t];", "+ s[7 - t];", "OG210"),
        ),
    ),
    GpuPair(
        "write after read in global memory",
        rows(
            """
            float* const x = __treg_malloc0<float>();
            thread for (int t = 0; t < 8; t++) x[DMINDEX1(8, t)] = d[b][(t + 1) % 8];
            blocksync();
            thread for (int t = 0; t < 8; t++) d[b][t] = x[DMINDEX1(8, t)];
            """,
            "A(b, (t + 1) % 8)",
        ),
        (
            GpuWrong(SYNC, ";\n", "OG210"),
            GpuWrong("d[b][(t + 1) % 8]", "d[b / 2][(t + 1) % 8]", "OG210"),
        ),
    ),
    GpuPair(
        "barriers in a loop",
        rows(
            """
            __shared__ float s[8];
            float* const x = __treg_malloc0<float>();
            thread for (int t = 0; t < 8; t++) x[DMINDEX1(8, t)] = d[b][t];
            for (int k = 0; k < 3; k++) {
              thread for (int t = 0; t < 8; t++) s[t] = x[DMINDEX1(8, t)];
              blocksync();
              thread for (int t = 0; t < 8; t++) x[DMINDEX1(8, t)] = s[(t + 1) % 8];
              __syncthreads();
            }
            thread for (int t = 0; t < 8; t++) d[b][t] = x[DMINDEX1(8, t)];
            """,
            "A(b, (t + 3) % 8)",
            shared="8 * sizeof(float)",
        ),
        (
            GpuWrong("__syncthreads();\n", ";\n", "OG210"),
            GpuWrong("blocksync();\n", ";\n", "OG210"),
            GpuWrong("  __syncthreads();\n    }\n", "  }\n    blocksync();\n", "OG210"),
            GpuWrong("k < 3", "k < 2", "OG212"),
        ),
    ),
    GpuPair(
        "two buffers, one barrier an iteration",
        rows(
            """
            __shared__ float s[2][8];
            thread for (int t = 0; t < 8; t++) s[0][t] = d[b][t];
            for (int k = 0; k < 4; k++) {
              blocksync();
              thread for (int t = 0; t < 8; t++) s[(k + 1) % 2][t] = s[k % 2][(t + 1) % 8];
            }
            thread for (int t = 0; t < 8; t++) d[b][t] = s[0][t];
            """,
            "A(b, (t + 4) % 8)",
            shared="16 * sizeof(float)",
        ),
        (
            GpuWrong("s[(k + 1) % 2][t]", "s[k % 2][t]", "OG210"),
            GpuWrong("blocksync();\n", ";\n", "OG210"),
            GpuWrong("d[b][t] = s[0][t]", "d[b][t] = s[0][7 - t]", "OG210"),
        ),
    ),
    GpuPair(
        "barriers through global memory",
        rows(
            """
            thread for (int t = 0; t < 8; t++) d[b][t] = d[b][t] + 1.0f;
            blocksync();
            thread for (int t = 0; t < 8; t++) if (t < 4) d[b][t] = d[b][t + 4];
            """,
            "A(b, t < 4 ? t + 4 : t) + 1",
        ),
        (
            GpuWrong(SYNC, ";\n", "OG210"),
            GpuWrong("if (t < 4) d[b][t]", "if (t < 5) d[b][t]", "OG201"),
            GpuWrong("d[b][t] = d[b][t + 4]", "d[b][t + 1] = d[b][t + 4]", "OG210"),
        ),
    ),
    GpuPair(
        "the whole block reads a cell",
        rows(
            """
            const float first = d[b][0];
            blocksync();
            thread for (int t = 0; t < 8; t++) d[b][t] = first;
            """,
            "A(b, 0)",
        ),
        (
            GpuWrong(SYNC, ";\n", "OG210"),
            GpuWrong("const float first = d[b][0];", "float first = d[b][0]; first += 1.0f;", "OG212"),
        ),
    ),
    GpuPair(
        "a barrier under a condition of the block",
        rows(
            """
            __shared__ float s[8];
            thread for (int t = 0; t < 8; t++) s[t] = d[b][t];
            if (b % 2 == 0) {
              blocksync();
              thread for (int t = 0; t < 8; t++) d[b][t] = s[7 - t];
            }
            """,
            "b % 2 == 0 ? A(b, 7 - t) : A(b, t)",
            shared="8 * sizeof(float)",
        ),
        (
            GpuWrong(SYNC, ";\n", "OG210"),
            GpuWrong(SYNC, "thread for (int t = 0; t < 8; t++) if (t < 4) blocksync();\n", "OG221"),
            GpuWrong(SYNC, "thread for (int t = 0; t < 8; t++) blocksync();\n", "OG221"),
            GpuWrong(SYNC, "thread for (int g = 0; g < 2; g++) blocksync();\n", "OG221"),
        ),
    ),
    GpuPair(
        "a condition that the block loads",
        rows(
            """
            __shared__ float s[8];
            thread for (int t = 0; t < 8; t++) s[t] = d[b][t];
            if (d[b][0] > 0.0f) {
              blocksync();
              thread for (int t = 0; t < 8; t++) d[b][t] = s[7 - t];
            }
            """,
            "A(b, 0) > 0 ? A(b, 7 - t) : A(b, t)",
            shared="8 * sizeof(float)",
        ),
        (
            GpuWrong("blocksync();\n", "", "OG210"),
            GpuWrong("s[t] = d[b][t];", "{ s[t] = d[b][t]; d[b][t] = 0.0f - d[b][t]; }", "OG210"),
        ),
    ),
    GpuPair(
        "no barrier at grid level",
        rows(
            """
            thread for (int t = 0; t < 8; t++) d[b][t] = 2.0f * d[b][t];
            blocksync();
            """,
            "2 * A(b, t)",
        ),
        (
            GpuWrong("    blocksync();\n  }\n", "  }\n  blocksync();\n", "OG221"),
            GpuWrong("    blocksync();\n", "    thread for (int t = 0; t < 8; t++) blocksync();\n", "OG221"),
        ),
    ),
    GpuPair(
        "a barrier of the block, not of one warp",
        rows(
            """
            __shared__ float s[64];
            thread for (int t = 0; t < 64; t++) s[t] = d[b][t];
            blocksync();
            thread for (int w = 0; w < 2; w++)
              thread for (int l = 0; l < 32; l++) d[b][32 * w + l] = s[32 * (1 - w) + l];
            """,
            "A(b, t < 32 ? t + 32 : t - 32)",
            threads=64,
            shared="64 * sizeof(float)",
        ),
        (
            GpuWrong(SYNC, "thread for (int w = 0; w < 2; w++) if (w == 0) blocksync();\n", "OG221"),
            GpuWrong(SYNC, "thread for (int w = 0; w < 2; w++) warpsync();\n", "OG210"),
            GpuWrong(SYNC, "warpsync();\n", "OG221"),
        ),
    ),
    GpuPair(
        "a tree in shared memory",
        rows(
            """
            __shared__ float s[8];
            thread for (int t = 0; t < 8; t++) s[t] = d[b][t];
            for (int half = 4; half > 0; half >>= 1) {
              blocksync();
              thread for (int t = 0; t < 8; t++) if (t < half) s[t] += s[t + half];
            }
            thread for (int t = 0; t < 8; t++) if (t == 0) d[b][0] = s[0];
            """,
            "t == 0 ? Sum(k in 0..8, A(b, k)) : A(b, t)",
            shared="8 * sizeof(float)",
        ),
        (
            GpuWrong(SYNC, ";\n", "OG210"),
            GpuWrong("if (t < half)", "if (t <= half)", "OG201"),
            GpuWrong("int half = 4", "int half = 2", "OG212"),
            GpuWrong("if (t == 0) d[b][0] = s[0]", "d[b][0] = s[0]", "OG210"),
            GpuWrong("if (t == 0) d[b][0] = s[0]", "if (t == 1) d[b][0] = s[0]", "OG210"),
        ),
    ),
]

OWN_CELLS = [
    GpuPair(
        "a thread uses its own cells again",
        rows(
            """
            __shared__ float s[8];
            thread for (int t = 0; t < 8; t++) s[t] = d[b][t];
            thread for (int t = 0; t < 8; t++) s[t] = s[t] + 1.0f;
            thread for (int t = 0; t < 8; t++) d[b][t] = s[t];
            """,
            "A(b, t) + 1",
            shared="8 * sizeof(float)",
        ),
        (
            GpuWrong("d[b][t] = s[t];", "d[b][t] = s[t ^ 1];", "OG210"),
            GpuWrong("s[t] = s[t] + 1.0f;", "s[7 - t] = s[7 - t] + 1.0f;", "OG210"),
        ),
    ),
    GpuPair(
        "loops of 8 x 32 and of 256 name the same threads",
        rows(
            """
            __shared__ float s[256];
            thread for (int y = 0; y < 8; y++)
              thread for (int x = 0; x < 32; x++) s[32 * y + x] = d[b][32 * y + x];
            thread for (int t = 0; t < 256; t++) d[b][t] = 2.0f * s[t];
            """,
            "2 * A(b, t)",
            threads=256,
            shared="256 * sizeof(float)",
        ),
        (
            GpuWrong("s[32 * y + x] = d[b][32 * y + x]", "s[8 * x + y] = d[b][8 * x + y]", "OG210"),
            GpuWrong("2.0f * s[t]", "2.0f * s[255 - t]", "OG210"),
        ),
    ),
    GpuPair(
        "three ways to count 16 threads",
        rows(
            """
            thread for (int i = 0; i < 2; i++)
              thread for (int j = 0; j < 8; j++) d[b][8 * i + j] += 1.0f;
            thread for (int i = 0; i < 8; i++)
              thread for (int j = 0; j < 2; j++) d[b][2 * i + j] += 1.0f;
            thread for (int i = 0; i < 2; i++)
              thread for (int j = 0; j < 2; j++)
                thread for (int k = 0; k < 4; k++) d[b][8 * i + 4 * j + k] += 1.0f;
            """,
            "A(b, t) + 3",
            threads=16,
        ),
        (
            GpuWrong("d[b][2 * i + j] += 1.0f", "d[b][8 * j + i] += 1.0f", "OG210"),
            GpuWrong("d[b][8 * i + 4 * j + k]", "d[b][4 * i + 8 * j + k]", "OG210"),
        ),
    ),
    GpuPair(
        "all read one cell, none writes it",
        rows(
            """
            __shared__ float s[8];
            thread for (int t = 0; t < 8; t++) s[t] = d[b][0];
            thread for (int t = 0; t < 8; t++) if (t > 0) d[b][t] = s[t];
            """,
            "A(b, 0)",
            shared="8 * sizeof(float)",
        ),
        (GpuWrong("if (t > 0) d[b][t] = s[t]", "d[b][t] = s[t] + 0.0f", "OG210"),),
    ),
    GpuPair(
        "the writer is the only reader",
        rows(
            """
            __shared__ float s[8];
            thread for (int t = 0; t < 8; t++) s[t] = d[b][7 - t];
            blocksync();
            float* const x = __treg_malloc0<float>();
            thread for (int t = 0; t < 8; t++) x[DMINDEX1(8, t)] = s[t];
            thread for (int t = 0; t < 8; t++) s[t] = x[DMINDEX1(8, t)] + 1.0f;
            thread for (int t = 0; t < 8; t++) d[b][t] = s[t];
            """,
            "A(b, 7 - t) + 1",
            shared="8 * sizeof(float)",
        ),
        (
            GpuWrong("x[DMINDEX1(8, t)] = s[t]", "x[DMINDEX1(8, t)] = s[t] + 0.0f * s[0]", "OG210"),
            GpuWrong(SYNC, ";\n", "OG210"),
        ),
    ),
    GpuPair(
        "the end of a kernel is a barrier",
        """void f(int B, float h[B][4]) {
  __requires("A: int * int -> float, B_pos: B > 0");
  __consumes("h ~> Matrix2(B, 4, A)");
  __produces("h ~> Matrix2(B, 4, fun b t -> A((b + 1) % B, t) + 1)");
  float* const d = __gmem_malloc2<float>(B, 4);
  float* const e = __gmem_malloc2<float>(B, 4);
  memcpy_host_to_device2(d, h, B, 4);
  kernel_launch(B, 4, 0);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++)
    thread for (int t = 0; t < 4; t++) d[b][t] = d[b][t] + 1.0f;
  kernel_teardown_begin();
  kernel_kill();
  kernel_launch(B, 4, 0);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++)
    thread for (int t = 0; t < 4; t++) e[b][t] = d[(b + 1) % B][t];
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(h, e, B, 4);
  gmem_free(d);
  gmem_free(e);
}
""",
        (
            GpuWrong(
                "kernel_teardown_begin();\n  kernel_kill();\n  kernel_launch(B, 4, 0);\n  kernel_setup_end();\n",
                "",
                "OG210",
            ),
            GpuWrong("e[b][t] = d[(b + 1) % B][t]", "e[0][t] = d[(b + 1) % B][t]", "OG210"),
            GpuWrong("gmem_free(e);", ";", "OG205"),
            GpuWrong("memcpy_device_to_host2(h, e, B, 4);", "memcpy_device_to_host2(h, d, B, 4);", "OG212"),
        ),
    ),
    GpuPair(
        "blocks write their own cells",
        """void f(int n, float h[n]) {
  __requires("A: int -> float, blocks: n % 4 == 0");
  __consumes("h ~> Matrix1(n, A)");
  __produces("h ~> Matrix1(n, fun i -> A(i) + A(4 * (i / 4)))");
  float* const d = __gmem_malloc1<float>(n);
  float* const e = __gmem_malloc1<float>(n);
  memcpy_host_to_device1(d, h, n);
  kernel_launch(n / 4, 4, 0);
  kernel_setup_end();
  thread for (int b = 0; b < n / 4; b++)
    thread for (int t = 0; t < 4; t++) e[4 * b + t] = d[4 * b + t] + d[4 * b];
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host1(h, e, n);
  gmem_free(d);
  gmem_free(e);
}
""",
        (
            GpuWrong("e[4 * b + t] = d[4 * b + t] + d[4 * b]", "d[4 * b + t] = d[4 * b + t] + d[4 * b]", "OG210"),
            GpuWrong("e[4 * b + t] =", "e[3 * b + t] =", "OG210"),
            GpuWrong("e[4 * b + t] =", "e[4 * t + b] =", "OG201"),
            GpuWrong("d[4 * b];", "e[4 * b];", "OG202"),
            GpuWrong("n % 4 == 0", "n >= 0", "OG202"),
        ),
    ),
]
