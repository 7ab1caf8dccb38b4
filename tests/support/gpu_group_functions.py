"""Device functions that a block or a warp calls together, and what is wrong with them a small change away."""

from __future__ import annotations

from tests.support.gpu_programs import GpuPair

TREE = """__device__ void sum_block(float s[256]) {
  __requires("A: int -> float");
  __preserves("ThreadsCtx(256)");
  __reads("KernelParams(_, 256, _)");
  __consumes("desync_for t in ..256 -> &s[t] ~~>[SMem] A(t)");
  __produces("&s[0] ~~>[SMem] Sum(k in 0..256, A(k)), for t in 1..256 -> &s[t] ~>[SMem] Cell");
  for (int h = 128; h > 0; h >>= 1) {
    blocksync(); // before a level
    thread for (int t = 0; t < 256; t++)
      if (t < h) s[t] += s[t + h];
  }
  blocksync(); // at the end
}
"""
SHUFFLES = """__device__ void sum_warp(float x[32], float y[32]) {
  __requires("A: int -> float, t: int");
  __preserves("ThreadsCtx(t ..+ 32)");
  __consumes("desync_for l in ..32 -> &x[l] ~~>[TReg] A(l)");
  __produces("desync_for l in ..32 -> If(l == 0, &x[l] ~~>[TReg] Sum(k in 0..32, A(k))) * If(l > 0, &x[l] ~>[TReg] Cell)");
  __preserves("desync_for l in ..32 -> &y[l] ~>[TReg] UninitCell");
  for (int d = 16; d > 0; d >>= 1) {
    shfl_down(&y[0], &x[0], d);
    thread for (int l = 0; l < 32; l++)
      if (l < d) x[l] += y[l];
  }
}
"""
ROTATE = """__device__ void rotate(int n, float s[n], float r[n]) {
  __requires("A: int -> float");
  __preserves("ThreadsCtx(n)");
  __reads("KernelParams(_, n, _), desync_for t in ..n -> &s[t] ~~>[SMem] A(t)");
  __writes("desync_for t in ..n -> &r[t] ~~>[SMem] A(n - 1 - t)");
  blocksync(); // of s
  thread for (int t = 0; t < n; t++)
    r[t] = s[n - 1 - t];
}
"""

GROUP_FUNCTIONS = [
    GpuPair(
        "a_tree_in_a_function",
        """  thread for (int b = 0; b < B; b++) {
    __shared__ float s[256];
    thread for (int t = 0; t < 256; t++)
      s[t] = d[b][t];
    sum_block(s);
    thread for (int t = 0; t < 256; t++)
      d[b][t] = s[0];
  }""",
        (
            ("    blocksync(); // before a level\n", "", "OG341"),
            ("  blocksync(); // at the end\n", "", "OG341"),
            ("  blocksync(); // at the end\n", "  blocksync();\n  const float x = s[0];\n", "OG342"),
            ("s[t] += s[t + h]", "s[t] += s[t + h + 1]", "OG302"),
            ("if (t < h) s[t]", "if (t <= h) s[t]", "OG302"),
            ('"ThreadsCtx(256)"', '"ThreadsCtx(128)"', "OG300"),
            ('  __reads("KernelParams(_, 256, _)");\n', "", "OG345"),
            ("s[t] = d[b][t];", "s[255 - t] = d[b][255 - t];", "OG341"),
            ("    sum_block(s);\n", "    thread for (int w = 0; w < 2; w++) sum_block(s);\n", "OG340"),
            ("    sum_block(s);\n", "    thread for (int t = 0; t < 256; t++) sum_block(s);\n", "OG340"),
            ("    sum_block(s);\n", "    blocksync(); const float x = s[0]; sum_block(s);\n", "OG342"),
            ("  kernel_kill();\n", "  kernel_kill();\n  float e[256]; sum_block(e);\n", "OG346"),
        ),
        "Matrix2(B, 256, fun b t -> Sum(k in 0..256, A(b, k)))",
        before=TREE,
    ),
    GpuPair(
        "shuffles_in_a_function",
        """  thread for (int b = 0; b < B; b++) {
    float* const x = __treg_malloc0<float>();
    float* const y = __treg_malloc0<float>();
    thread for (int t = 0; t < 256; t++)
      x[DMINDEX1(256, t)] = d[b][t];
    thread for (int w = 0; w < 8; w++)
      sum_warp(&x[DMINDEX2(8, 32, w, 0)], &y[DMINDEX2(8, 32, w, 0)]);
    thread for (int t = 0; t < 256; t++)
      if (t % 32 == 0) d[b][t] = x[DMINDEX1(256, t)];
  }""",
        (
            ("desync_for l in ..32 -> &x[l] ~~>[TReg] A(l)", "for l in ..32 -> &x[l] ~~>[TReg] A(l)", "OG344"),
            ("sum_warp(&x[DMINDEX2(8, 32, w, 0)]", "sum_warp(&x[DMINDEX2(8, 32, w, 1)]", "OG302"),
            ("sum_warp(&x[DMINDEX2(8, 32, w, 0)]", "sum_warp(&x[DMINDEX2(8, 32, 7 - w, 0)]", "OG344"),
            ("if (l < d) x[l] += y[l]", "if (l < d) x[l] += x[31 - l]", "OG344"),
            ("ThreadsCtx(t ..+ 32)", "ThreadsCtx(t ..+ 64)", "OG345"),
            ("ThreadsCtx(t ..+ 32)", "ThreadsCtx(t ..+ 32), KernelParams(_, 64, _)", "OG315"),
            ("w < 8; w++", "w < 4; w++", "OG344"),
            ("if (t % 32 == 0) d[b][t] = x[DMINDEX1(256, t)]", "d[b][t] = x[DMINDEX1(256, t)]", "OG304"),
        ),
        "Matrix2(B, 256, fun b t -> t % 32 == 0 ? Sum(l in 0..32, A(b, t + l)) : A(b, t))",
        before=SHUFFLES,
    ),
    GpuPair(
        "what_a_function_reads_stays_read",
        """  thread for (int b = 0; b < B; b++) {
    __shared__ float s[256];
    __shared__ float r[256];
    thread for (int t = 0; t < 256; t++)
      s[t] = d[b][t];
    rotate(256, s, r);
    blocksync(); // before s is written again
    thread for (int t = 0; t < 256; t++) {
      d[b][t] = r[t];
      s[t] = 0.0f;
    }
  }""",
        (
            ("    blocksync(); // before s is written again\n", "", "OG342"),
            ("  blocksync(); // of s\n", "", "OG341"),
            ("d[b][t] = r[t];", "d[b][t] = r[255 - t];", "OG305"),
            ("    blocksync(); // before s is written again\n", "    const float x = r[0];\n", "OG341"),
            ("r[t] = s[n - 1 - t];", "r[n - 1 - t] = s[t];", "OG341"),
            ("rotate(256, s, r);", "rotate(256, s, s);", "OG316"),
            ("rotate(256, s, r);", "rotate(128, s, r);", "OG346"),
            ("ThreadsCtx(n)", "ThreadsCtx(2 * n)", "OG345"),
        ),
        "Matrix2(B, 256, fun b t -> A(b, 255 - t))",
        launch="B, 256, 2048",
        before=ROTATE,
    ),
    GpuPair(
        "parts_with_at_least_one_thread",
        """  thread for (int b = 0; b < B; b++) {
    __shared__ float s[512];
    thread for (int t = 0; t < 256; t++) {
      s[2 * t] = d[b][t];
      s[2 * t + 1] = d[b][t];
    }
    thread for (int w = 0; w < 8; w++) {
      warpsync(); // of the caller
      settle(32, &s[64 * w]);
    }
  }""",
        (
            ("settle(32, &s[64 * w])", "settle(64, &s[64 * w])", "OG341"),
            ("settle(32, &s[64 * w])", "settle(128, &s[64 * w])", "OG340"),
            ("      warpsync(); // of the caller\n", "", "OG341"),
            ("  warpsync(); // of the function\n", "", "OG341"),
        ),
        launch="B, 256, 2048",
        before="""__device__ void settle(int n, float p[n]) {
  __requires("n > 0");
  __preserves("ThreadsCtx(32)");
  __consumes("desync_for i in ..n -> &p[i] ~>[SMem] Cell");
  __produces("for i in ..n -> &p[i] ~>[SMem] Cell");
  warpsync(); // of the function
}
""",
    ),
]
