"""Launches and levels of threads, warps, and the magic loops that come before real ones."""

from __future__ import annotations

from tests.support.gpu_twins import GpuPair, GpuWrong, rows

LAUNCHES = [
    GpuPair(
        "a guarded tail",
        """void f(int n, float h[n]) {
  __requires("A: int -> float");
  __consumes("h ~> Matrix1(n, A)");
  __produces("h ~> Matrix1(n, fun i -> 2 * A(i))");
  float* const d = __gmem_malloc1<float>(n);
  memcpy_host_to_device1(d, h, n);
  kernel_launch((n + 7) / 8, 8, 0);
  kernel_setup_end();
  thread for (int b = 0; b < (n + 7) / 8; b++) {
    thread for (int t = 0; t < 8; t++) {
      const int i = 8 * b + t;
      if (i < n) d[i] = 2.0f * d[i];
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host1(h, d, n);
  gmem_free(d);
}
""",
        (
            GpuWrong("if (i < n) d[i]", "d[i]", "OG201"),
            GpuWrong("if (i < n) d[i]", "if (i <= n) d[i]", "OG201"),
            GpuWrong("kernel_launch((n + 7) / 8, 8, 0)", "kernel_launch(n / 8, 8, 0)", "OG212"),
            GpuWrong("kernel_launch((n + 7) / 8, 8, 0)", "kernel_launch((n + 7) / 8, 16, 0)", "OG228"),
            GpuWrong("kernel_launch((n + 7) / 8, 8, 0)", "kernel_launch((n + 7) / 8 + 1, 8, 0)", "OG220"),
            GpuWrong("t < 8; t++", "t < 3; t++", "OG220"),
            GpuWrong("t < 8; t++", "t < 4; t++", "OG228"),
            GpuWrong("8 * b + t", "7 * b + t", "OG210"),
            GpuWrong("t = 0; t < 8", "t = 1; t < 9", "OG212"),
        ),
    ),
    GpuPair(
        "1024 threads a block",
        """void f(float h[1024]) {
  __requires("A: int -> float");
  __consumes("h ~> Matrix1(1024, A)");
  __produces("h ~> Matrix1(1024, fun i -> A(i) + 1)");
  float* const d = __gmem_malloc1<float>(1024);
  memcpy_host_to_device1(d, h, 1024);
  kernel_launch(1, 1024, 232448);
  kernel_setup_end();
  thread for (int t = 0; t < 1024; t++) d[t] += 1.0f;
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host1(h, d, 1024);
  gmem_free(d);
}
""",
        (
            GpuWrong("kernel_launch(1, 1024, 232448)", "kernel_launch(1, 2048, 0)", "OG227"),
            GpuWrong("kernel_launch(1, 1024, 232448)", "kernel_launch(1, 1024, 232449)", "OG227"),
            GpuWrong("kernel_launch(1, 1024, 232448)", "kernel_launch(1, 0, 0)", "OG227"),
            GpuWrong("kernel_launch(1, 1024, 232448)", "kernel_launch(0 - 1, 1024, 0)", "OG227"),
            GpuWrong("kernel_launch(1, 1024, 232448)", "kernel_launch(0, 1024, 0)", "OG212"),
            GpuWrong("kernel_launch(1, 1024, 232448)", "kernel_launch(2, 1024, 0)", "OG228"),
        ),
    ),
    GpuPair(
        "launches in order",
        rows(
            """
            __shared__ float s[8];
            thread for (int t = 0; t < 8; t++) {
              s[t] = d[b][t];
              d[b][t] = s[t] + 1.0f;
            }
            """,
            "A(b, t) + 1",
            shared="8 * sizeof(float)",
            teardown="kernel_teardown_sync();",
        ),
        (
            GpuWrong("  kernel_kill();\n", "", "OG226"),
            GpuWrong("  kernel_setup_end();\n", "", "OG226"),
            GpuWrong("  kernel_setup_end();\n", "  kernel_setup_end();\n  kernel_setup_end();\n", "OG226"),
            GpuWrong("  kernel_teardown_begin();\n", "", "OG226"),
            GpuWrong("  kernel_launch(B, 8, 8 * sizeof(float));\n", "", "OG226"),
            GpuWrong("  kernel_setup_end();\n", "  kernel_launch(B, 8, 0);\n  kernel_setup_end();\n", "OG226"),
            GpuWrong("  kernel_kill();\n", "  memcpy_device_to_host2(h, d, B, 8);\n  kernel_kill();\n", "OG226"),
            GpuWrong("  kernel_kill();\n", "  kernel_kill();\n  blocksync();\n", "OG226"),
            GpuWrong(
                "  kernel_kill();\n",
                "  kernel_kill();\n  thread for (int t = 0; t < 1; t++) h[0][0] = 0.0f;\n",
                "OG226",
            ),
            GpuWrong(
                "  kernel_setup_end();\n",
                "  float* const e = __gmem_malloc1<float>(1);\n  kernel_setup_end();\n",
                "OG226",
            ),
            GpuWrong(
                "__shared__ float s[8];", "__shared__ float s[8]; float* const u = __smem_malloc1<float>(8);", "OG226"
            ),
            GpuWrong("memcpy_host_to_device2(d, h, B, 8)", "memcpy_host_to_device2(d, h, 8, B)", "OG218"),
            GpuWrong("s[t] = d[b][t];", "__shared__ float u[1]; s[t] = d[b][t];", "OG221"),
        ),
    ),
    GpuPair(
        "stores take a single thread",
        rows(
            """
            thread for (int g = 0; g < 4; g++)
              thread for (int t = 0; t < 2; t++) d[b][2 * g + t] = 1.0f;
            """,
            "1",
        ),
        (
            GpuWrong("thread for (int t = 0; t < 2; t++)", "for (int t = 0; t < 2; t++)", "OG228"),
            GpuWrong("thread for (int g = 0; g < 4; g++)", "for (int g = 0; g < 4; g++)", "OG228"),
            GpuWrong("g < 4; g++", "g < 5; g++", "OG220"),
            GpuWrong("t < 2; t++", "t < 2 * b; t++", "OG220"),
            GpuWrong("d[b][2 * g + t]", "d[b][2 * g]", "OG210"),
            GpuWrong("d[b][2 * g + t]", "d[0][2 * g + t]", "OG210"),
        ),
    ),
    GpuPair(
        "device functions",
        rows(
            "thread for (int t = 0; t < 8; t++) d[b][t] = add_one(d[b][t]);",
            "A(b, t) + 1",
            before="""
            __device__ float add_one(float x) {
              __ensures("_Res == x + 1");
              return x + 1.0f;
            }
            """,
        ),
        (
            GpuWrong("__device__ float", "float", "OG226"),
            GpuWrong("return x + 1.0f", "return x + 2.0f", "OG212"),
        ),
    ),
]

WARPS = [
    GpuPair(
        "a sum by shuffles",
        rows(
            """
            float* const x = __treg_malloc0<float>();
            float* const y = __treg_malloc0<float>();
            thread for (int t = 0; t < 64; t++) x[DMINDEX1(64, t)] = d[b][t];
            thread for (int w = 0; w < 2; w++) {
              for (int k = 16; k > 0; k >>= 1) {
                shfl_down(&y[DMINDEX2(2, 32, w, 0)], &x[DMINDEX2(2, 32, w, 0)], k);
                thread for (int l = 0; l < 32; l++)
                  if (l < k) x[DMINDEX2(2, 32, w, l)] += y[DMINDEX2(2, 32, w, l)];
              }
            }
            thread for (int t = 0; t < 64; t++) if (t % 32 == 0) d[b][t] = x[DMINDEX1(64, t)];
            """,
            "t % 32 == 0 ? Sum(k in 0..32, A(b, t + k)) : A(b, t)",
            threads=64,
        ),
        (
            GpuWrong("shfl_down", "shfl_up", "OG212"),
            GpuWrong("k = 16;", "k = 8;", "OG212"),
            GpuWrong("&x[DMINDEX2(2, 32, w, 0)]", "&x[DMINDEX2(2, 32, 0, 0)]", "OG224"),
            GpuWrong("&y[DMINDEX2(2, 32, w, 0)]", "&y[DMINDEX2(2, 32, w, 1)]", "OG224"),
            GpuWrong("&x[DMINDEX2(2, 32, w, 0)], k)", "&y[DMINDEX2(2, 32, w, 0)], k)", "OG202"),
            GpuWrong("w, 0)], k)", "w, 0)], 2 * k)", "OG201"),
            GpuWrong("w < 2; w++", "w < 4; w++", "OG221"),
            GpuWrong("thread for (int w = 0; w < 2; w++)", "for (int w = 0; w < 2; w++)", "OG221"),
            GpuWrong("+= y[DMINDEX2(2, 32, w, l)]", "+= y[DMINDEX2(2, 32, w, l ^ 1)]", "OG224"),
        ),
    ),
    GpuPair(
        "butterflies and broadcasts",
        rows(
            """
            float* const x = __treg_malloc0<float>();
            float* const y = __treg_malloc0<float>();
            float* const z = __treg_malloc0<float>();
            thread for (int t = 0; t < 32; t++) x[DMINDEX1(32, t)] = d[b][t];
            shfl_xor(y, x, 1);
            shfl(z, x, 5);
            thread for (int t = 0; t < 32; t++) d[b][t] = y[DMINDEX1(32, t)] - z[DMINDEX1(32, t)];
            """,
            "A(b, t % 2 == 0 ? t + 1 : t - 1) - A(b, 5)",
            threads=32,
        ),
        (
            GpuWrong("shfl(z, x, 5)", "shfl(z, x, 4)", "OG212"),
            GpuWrong("shfl_xor(y, x, 1)", "shfl_xor(y, x, 2)", "OG212"),
            GpuWrong("shfl(z, x, 5)", "shfl(z, x, 32)", "OG201"),
            GpuWrong("shfl(z, x, 5);", ";", "OG202"),
            GpuWrong("shfl(z, x, 5);", "thread for (int t = 0; t < 32; t++) shfl(z, x, 5);", "OG221"),
        ),
    ),
    GpuPair(
        "a warp synchronises its memory",
        rows(
            """
            __shared__ float s[64];
            thread for (int w = 0; w < 2; w++) {
              thread for (int l = 0; l < 32; l++) s[32 * w + l] = d[b][32 * w + l];
              warpsync();
              thread for (int l = 0; l < 32; l++) d[b][32 * w + l] = s[32 * w + (l ^ 1)];
            }
            """,
            "A(b, t % 2 == 0 ? t + 1 : t - 1)",
            threads=64,
            shared="64 * sizeof(float)",
        ),
        (
            GpuWrong("warpsync();\n", ";\n", "OG210"),
            GpuWrong("s[32 * w + (l ^ 1)]", "s[32 * (1 - w) + l]", "OG210"),
            GpuWrong("warpsync();\n", "blocksync();\n", "OG221"),
            GpuWrong("w < 2; w++) {", "w < 4; w++) {", "OG220"),
        ),
    ),
    GpuPair(
        "a shuffle is no barrier",
        rows(
            """
            __shared__ float s[32];
            float* const x = __treg_malloc0<float>();
            float* const y = __treg_malloc0<float>();
            thread for (int t = 0; t < 32; t++) {
              s[t] = d[b][t];
              x[DMINDEX1(32, t)] = 1.0f;
            }
            shfl_xor(y, x, 1);
            warpsync();
            thread for (int t = 0; t < 32; t++) d[b][t] = s[t ^ 1] + y[DMINDEX1(32, t)];
            """,
            "A(b, t % 2 == 0 ? t + 1 : t - 1) + 1",
            threads=32,
            shared="32 * sizeof(float)",
        ),
        (GpuWrong("warpsync();\n", ";\n", "OG210"),),
    ),
]

REFERENCE = [
    GpuPair(
        "magic thread loops",
        """void f(int n, float h[n]) {
  __requires("A: int -> float");
  __consumes("h ~> Matrix1(n, A)");
  __produces("h ~> Matrix1(n, fun i -> 2 * A(i) + 1)");
  magic thread for (int i = 0; i < n; i++) h[i] = 2.0f * h[i];
  magic_barrier();
  magic thread for (int i = 0; i < n; i++) h[n - 1 - i] += 1.0f;
}
""",
        (
            GpuWrong("h[i] = 2.0f * h[i]", "h[i] = 2.0f * h[n - 1 - i]", "OG210"),
            GpuWrong("h[n - 1 - i] += 1.0f", "h[0] += 1.0f", "OG210"),
        ),
    ),
    GpuPair(
        "magic barriers in a kernel",
        rows(
            """
            __shared__ float s[8];
            thread for (int t = 0; t < 8; t++) s[t] = d[b][t];
            magic_barrier();
            thread for (int t = 0; t < 8; t++) d[b][t] = s[7 - t];
            """,
            "A(b, 7 - t)",
            shared="8 * sizeof(float)",
        ),
        (GpuWrong("magic_barrier();", ";", "OG210"),),
    ),
    GpuPair(
        "a magic thread loop in a block",
        rows(
            """
            __shared__ float s[8];
            thread for (int t = 0; t < 8; t++) s[t] = d[b][t];
            magic thread for (int t = 0; t < 4; t++) s[2 * t] = s[2 * t + 1];
            thread for (int t = 0; t < 8; t++) d[b][t] = s[7 - t];
            """,
            "A(b, 7 - (t - t % 2))",
            shared="8 * sizeof(float)",
        ),
        (GpuWrong("s[2 * t] = s[2 * t + 1]", "s[t] = s[t + 1]", "OG210"),),
    ),
]
