"""Memory spaces: registers, shared arrays, host and device memory, vector accesses."""

from __future__ import annotations

from tests.support.gpu_twins import LAUNCH, SYNC, GpuPair, GpuWrong, rows

REGISTERS = [
    GpuPair(
        "registers across a barrier",
        rows(
            """
            float* const x = __treg_malloc0<float>();
            thread for (int t = 0; t < 8; t++) x[DMINDEX1(8, t)] = d[b][t];
            blocksync();
            thread for (int t = 0; t < 8; t++) d[b][7 - t] = x[DMINDEX1(8, t)];
            """,
            "A(b, 7 - t)",
        ),
        (
            GpuWrong("= x[DMINDEX1(8, t)]", "= x[DMINDEX1(8, 7 - t)]", "OG224"),
            GpuWrong("x[DMINDEX1(8, t)] = d[b][t]", "x[DMINDEX1(8, (t + 1) % 8)] = d[b][t]", "OG224"),
            GpuWrong("= x[DMINDEX1(8, t)]", "= x[DMINDEX1(8, 8)]", "OG201"),
            GpuWrong(SYNC, ";\n", "OG210"),
            GpuWrong("t < 8; t++) x[", "t < 8; t++) if (t > 0) x[", "OG202"),
            GpuWrong(SYNC, "const float y = x[DMINDEX1(8, 0)]; blocksync();\n", "OG224"),
        ),
    ),
    GpuPair(
        "register tiles",
        rows(
            """
            float* const x = __treg_malloc1<float>(2);
            thread for (int t = 0; t < 4; t++)
              for (int j = 0; j < 2; j++) x[DMINDEX1(4, t)][j] = d[b][4 * j + t];
            blocksync();
            thread for (int t = 0; t < 4; t++)
              for (int j = 0; j < 2; j++) d[b][2 * t + j] = x[DMINDEX1(4, t)][j];
            """,
            "A(b, 4 * (t % 2) + t / 2)",
        ).replace("kernel_launch(B, 8, 0)", "kernel_launch(B, 4, 0)"),
        (
            GpuWrong("= x[DMINDEX1(4, t)][j]", "= x[DMINDEX1(4, j)][j]", "OG224"),
            GpuWrong("= x[DMINDEX1(4, t)][j]", "= x[DMINDEX1(4, t)][j + 1]", "OG201"),
            GpuWrong(SYNC, ";\n", "OG210"),
            GpuWrong("j < 2; j++) x[", "j < 1; j++) x[", "OG202"),
        ),
    ),
    GpuPair(
        "local variables of a thread",
        rows(
            """
            thread for (int t = 0; t < 8; t++) {
              float r[2];
              r[0] = d[b][t];
              r[1] = 1.0f;
              float sum = 0.0f;
              for (int j = 0; j < 2; j++) sum += r[j];
              d[b][t] = sum;
            }
            """,
            "A(b, t) + 1",
        ),
        (
            GpuWrong("r[1] = 1.0f;", ";", "OG202"),
            GpuWrong("float sum = 0.0f;", "float sum;", "OG202"),
            GpuWrong("j < 2; j++) sum", "j <= 2; j++) sum", "OG201"),
        ),
    ),
]

OWN_COPIES = [
    GpuPair(
        "a local array of the block is one of each thread",
        rows(
            """
            float x[8];
            thread for (int t = 0; t < 8; t++) x[t] = d[b][t];
            blocksync();
            thread for (int t = 0; t < 8; t++) d[b][t] = x[t] + 1.0f;
            """,
            "A(b, t) + 1",
        ),
        (
            GpuWrong("= x[t] + 1.0f", "= x[7 - t] + 1.0f", "OG202"),
            GpuWrong("blocksync();", "x[0] = 1.0f;", "OG212"),
            GpuWrong("blocksync();", "const float y = x[0];", "OG202"),
        ),
    ),
]

SPACES = [
    GpuPair(
        "shared memory of the setup phase",
        rows(
            """
            thread for (int t = 0; t < 8; t++) s[DMINDEX1(B, b)][t] = d[b][t];
            blocksync();
            thread for (int t = 0; t < 8; t++) d[b][t] = s[DMINDEX1(B, b)][7 - t];
            """,
            "A(b, 7 - t)",
            shared="8 * sizeof(float)",
            setup="float* const s = __smem_malloc1<float>(8);",
            teardown="__smem_free1(s, 8);",
        ),
        (
            GpuWrong("__smem_free1(s, 8);", ";", "OG205"),
            GpuWrong("__smem_free1(s, 8);", "__smem_free1(s, 7);", "OG204"),
            GpuWrong("__smem_free1(s, 8);", "__smem_free1(s, 8); __smem_free1(s, 8);", "OG204"),
            GpuWrong("= s[DMINDEX1(B, b)][7 - t]", "= s[DMINDEX1(B, (b + 1) % B)][7 - t]", "OG224"),
            GpuWrong("s[DMINDEX1(B, b)][t] = d[b][t]", "s[DMINDEX1(B, 0)][t] = d[b][t]", "OG224"),
            GpuWrong(SYNC, ";\n", "OG210"),
            GpuWrong("8 * sizeof(float)", "7 * sizeof(float)", "OG225"),
            GpuWrong("8 * sizeof(float)", "8", "OG225"),
            GpuWrong("kernel_kill();", "kernel_kill(); s[DMINDEX1(1, 0)][0] = 1.0f;", "OG223"),
        ),
    ),
    GpuPair(
        "shared arrays in scopes one after the other",
        rows(
            """
            {
              __shared__ float s[8];
              thread for (int t = 0; t < 8; t++) s[t] = d[b][t];
              blocksync();
              thread for (int t = 0; t < 8; t++) d[b][t] = s[7 - t];
              blocksync();
            }
            {
              __shared__ double u[4];
              thread for (int t = 0; t < 8; t++) if (t < 4) u[t] = d[b][t];
              __syncthreads();
              thread for (int t = 0; t < 8; t++) if (t > 3) d[b][t] = u[t - 4];
            }
            """,
            "A(b, 7 - t % 4)",
            shared="32",
        ),
        (
            GpuWrong("double u[4]", "double u[5]", "OG225"),
            GpuWrong("float s[8];", "float s[8]; __shared__ float v[1];", "OG225"),
            GpuWrong("__syncthreads();", ";", "OG210"),
            GpuWrong("u[t - 4]", "u[t - 3]", "OG201"),
        ),
    ),
    GpuPair(
        "a shared array forgets between iterations",
        rows(
            """
            for (int k = 0; k < 2; k++) {
              __shared__ float s[8];
              thread for (int t = 0; t < 8; t++) if (k < 2) s[t] = d[b][t];
              blocksync();
              thread for (int t = 0; t < 8; t++) d[b][t] = s[7 - t] + 1.0f;
              __syncthreads();
            }
            """,
            "A(b, t) + 2",
            shared="8 * sizeof(float)",
        ),
        (
            GpuWrong("if (k < 2) s[t]", "if (k < 1) s[t]", "OG202"),
            GpuWrong("__syncthreads();\n", ";\n", "OG210"),
            GpuWrong("blocksync();\n", ";\n", "OG210"),
        ),
    ),
    GpuPair(
        "shared memory is written before it is read",
        rows(
            """
            __shared__ float s[9];
            thread for (int t = 0; t < 8; t++) {
              s[t] = d[b][t];
              if (t == 7) s[8] = 0.0f;
            }
            blocksync();
            thread for (int t = 0; t < 8; t++) d[b][t] = s[t + 1];
            """,
            "t < 7 ? A(b, t + 1) : 0",
            shared="9 * sizeof(float)",
        ),
        (
            GpuWrong("if (t == 7) s[8] = 0.0f;", ";", "OG202"),
            GpuWrong("if (t == 7) s[8]", "if (t >= 6) s[8]", "OG210"),
            GpuWrong("float s[9];", "float s[8];", "OG201"),
            GpuWrong("9 * sizeof(float)", "8 * sizeof(float)", "OG225"),
        ),
    ),
    GpuPair(
        "host and device memory",
        """void f(int n, float h[n]) {
  __requires("A: int -> float, some: n > 0");
  __consumes("h ~> Matrix1(n, A)");
  __produces("h ~> Matrix1(n, fun i -> i == 0 ? 2 * A(i) + 5 : 2 * A(i))");
  float* const d = __gmem_malloc1<float>(n);
  float* const e = __gmem_malloc1<float>(n);
  const float bias = 5.0f;
  float twice = 2.0f;
  twice = 2.0f;
  memcpy_host_to_device1(d, h, n);
  memcpy_device_to_device1(e, d, n);
  kernel_launch(n, 1, 0);
  kernel_setup_end();
  thread for (int b = 0; b < n; b++) d[b] = e[b] + d[b] + (b == 0 ? bias : 0.0f);
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host1(h, d, n);
  h[0] = h[0] + 2.0f - twice;
  gmem_free(d);
  gmem_free(e);
}
""",
        (
            GpuWrong("h[0] = h[0] + 2.0f - twice;", "d[0] = h[0];", "OG223"),
            GpuWrong("h[0] = h[0] + 2.0f - twice;", "h[0] = d[0];", "OG223"),
            GpuWrong("d[b] = e[b] + d[b]", "h[b] = e[b] + d[b]", "OG223"),
            GpuWrong("d[b] = e[b] + d[b]", "d[b] = h[b] + d[b]", "OG223"),
            GpuWrong("? bias :", "? bias + twice :", "OG223"),
            GpuWrong("memcpy_device_to_host1(h, d, n)", "memcpy_device_to_host1(d, h, n)", "OG223"),
            GpuWrong("memcpy_device_to_host1(h, d, n)", "memcpy_host_to_device1(h, d, n)", "OG223"),
            GpuWrong("memcpy_host_to_device1(d, h, n)", "memcpy_host_to_device1(d, h, n + 1)", "OG201"),
            GpuWrong("memcpy_host_to_device1(d, h, n)", "memcpy_host_to_device1(d, h, n - 1)", "OG202"),
            GpuWrong("gmem_free(e);", ";", "OG205"),
            GpuWrong("gmem_free(e);", "gmem_free(d);", "OG204"),
            GpuWrong("kernel_setup_end();", "kernel_setup_end(); gmem_free(e);", "OG226"),
        ),
    ),
]

VECTORS = [
    GpuPair(
        "vectors of four",
        rows(
            """
            thread for (int t = 0; t < 2; t++) {
              float r[4];
              vload4(&r[0], &d[b][4 * t]);
              for (int j = 0; j < 4; j++) r[j] = 2.0f * r[j];
              vstore4(&d[b][4 * t], &r[0]);
            }
            """,
            "2 * A(b, t)",
        ).replace(LAUNCH, "kernel_launch(B, 2, "),
        (
            GpuWrong("vload4(&r[0], &d[b][4 * t])", "vload4(&r[0], &d[b][4 * t + 1])", "OG229"),
            GpuWrong("vstore4(&d[b][4 * t], &r[0])", "vstore4(&d[b][2 * t], &r[0])", "OG229"),
            GpuWrong("vload4(&r[0]", "vload4(&r[1]", "OG201"),
            GpuWrong("vload4(&r[0], &d[b][4 * t])", "vload2(&r[0], &d[b][4 * t])", "OG202"),
            GpuWrong("vload4(&r[0], &d[b][4 * t])", "vload4(&d[b][4 * t], &r[0])", "OG223"),
            GpuWrong("&d[b][4 * t], &r[0]", "&d[b][0], &r[0]", "OG210"),
        ),
    ),
    GpuPair(
        "rows that are a multiple of two",
        """void f(int n, int m, float h[n][m]) {
  __requires("A: int * int -> float, pairs: m % 2 == 0");
  __consumes("h ~> Matrix2(n, m, A)");
  __produces("h ~> Matrix2(n, m, fun i j -> j < 2 * (m / 2) ? A(i, j) + 1 : A(i, j))");
  float* const d = __gmem_malloc2<float>(n, m);
  memcpy_host_to_device2(d, h, n, m);
  kernel_launch(n * (m / 2), 1, 0);
  kernel_setup_end();
  thread for (int i = 0; i < n; i++) {
    thread for (int j = 0; j < m / 2; j++) {
      float r[2];
      vload2(&r[0], &d[i][2 * j]);
      r[0] += 1.0f;
      r[1] += 1.0f;
      vstore2(&d[i][2 * j], &r[0]);
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(h, d, n, m);
  gmem_free(d);
}
""",
        (
            GpuWrong("m % 2 == 0", "m >= 2", "OG229"),
            GpuWrong("vload2(&r[0], &d[i][2 * j])", "vload4(&r[0], &d[i][2 * j])", "OG201"),
            GpuWrong("&d[i][2 * j], &r[0]", "&d[i][2 * j + 1], &r[0]", "OG229"),
        ),
    ),
    GpuPair(
        "vectors in shared memory",
        rows(
            """
            __shared__ float s[2][8];
            thread for (int t = 0; t < 4; t++) {
              s[t % 2][t] = d[b][t];
              s[t % 2][t + 4] = d[b][t + 4];
              s[1 - t % 2][t] = 0.0f;
              s[1 - t % 2][t + 4] = 0.0f;
            }
            blocksync();
            thread for (int t = 0; t < 4; t++) {
              float r[2];
              float q[2];
              vload2(&r[0], &s[0][2 * t]);
              vload2(&q[0], &s[1][2 * t]);
              d[b][2 * t] = r[0];
              d[b][2 * t + 1] = q[1];
            }
            """,
            "A(b, t)",
            shared="16 * sizeof(float)",
        ).replace(LAUNCH, "kernel_launch(B, 4, "),
        (
            GpuWrong("s[2][8];", "s[2][9];", "OG225"),
            GpuWrong("&s[1][2 * t]", "&s[1][2 * t + 1]", "OG229"),
            GpuWrong(SYNC, ";\n", "OG210"),
        ),
    ),
]
