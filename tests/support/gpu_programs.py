"""GPU programs in pairs: one that is right and others, a small change away, that are wrong, each with its code."""

from __future__ import annotations

from dataclasses import dataclass, field

HEAD = """#include <optigpu.h>
void f(int B, float h[B][256]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 256, A)");
  __produces("h ~> %s");
  float* const d = __gmem_malloc2<float>(B, 256);
  memcpy_host_to_device2(d, h, B, 256);
  kernel_launch(%s);
"""
TAIL = """  kernel_kill();
  memcpy_device_to_host2(h, d, B, 256);
  gmem_free(d);
}
"""
ANYTHING = "Cells2(B, 256)"


@dataclass(frozen=True)
class GpuPair:
    """`body` is what threads do; `wrong`: (text in it, replacement, code)."""

    name: str
    body: str
    wrong: tuple[tuple[str, str, str], ...]
    result: str = ANYTHING
    launch: str = "B, 256, 1024"
    setup: str = ""
    teardown: str = ""
    before: str = field(default="")

    def text(self) -> str:
        head = HEAD % (self.result, self.launch)
        phases = f"{self.setup}\n  kernel_setup_end();\n{self.body}\n  kernel_teardown_begin();\n{self.teardown}\n"
        return self.before + head + phases + TAIL

    def broken(self, number: int) -> str:
        old, new, _ = self.wrong[number]
        text = self.text()
        assert text.count(old) == 1, f"{self.name}: {old!r} occurs {text.count(old)} times"
        return text.replace(old, new)


SMEM = "  float* const s = __smem_malloc1<float>(256);"
FREE = "  __smem_free1(s, 256);"

GPU_PAIRS = [
    GpuPair(
        "each_thread_its_own_cell",
        """  thread for (int b = 0; b < B; b++)
    thread for (int t = 0; t < 256; t++)
      d[b][t] = d[b][t] + 1.0f;""",
        (
            ("d[b][t] = d[b][t]", "d[b][0] = d[b][t]", "OG340"),
            ("d[b][t] = d[b][t]", "d[b][t] = d[b][255 - t]", "OG340"),
            ("d[b][t] = d[b][t]", "d[b][t] = d[B - 1 - b][t]", "OG340"),
            ("d[b][t] = d[b][t]", "d[b][t] = h[b][t]", "OG348"),
            ("d[b][t] = d[b][t]", "h[b][t] = d[b][t]", "OG348"),
            ("d[b][t] = d[b][t] + 1.0f", "d[b][t + 1] = 1.0f", "OG302"),
            ("t < 256", "t < 255", "OG347"),
            ("t < 256", "t < 512", "OG347"),
            ("kernel_launch(B, 256, 1024)", "kernel_launch(B, 128, 1024)", "OG347"),
            ("kernel_launch(B, 256, 1024)", "kernel_launch(B + 1, 256, 1024)", "OG347"),
            ("kernel_launch(B, 256, 1024)", "kernel_launch(B, 256, 400 * 1024)", "OG349"),
            ("kernel_launch(B, 256, 1024)", "kernel_launch(B - 1, 256, 1024)", "OG349"),
            ("  kernel_setup_end();\n", "", "OG350"),
            ("  kernel_kill();\n", "", "OG350"),
            ("  kernel_teardown_begin();\n", "", "OG350"),
            ("  kernel_setup_end();\n", "  kernel_setup_end();\n  kernel_setup_end();\n", "OG350"),
            ("  kernel_kill();\n", "  d[0][0] = 1.0f;\n  kernel_kill();\n", "OG348"),
            ("  gmem_free(d);\n", "  d[0][0] = 1.0f;\n  gmem_free(d);\n", "OG348"),
            ("  gmem_free(d);\n", "", "OG308"),
        ),
        "Matrix2(B, 256, fun b t -> A(b, t) + 1.0f)",
    ),
    GpuPair(
        "more_than_1024_threads",
        """  thread for (int b = 0; b < B; b++)
    thread for (int t = 0; t < 1024; t++)
      if (t < 256) d[b][t] = 1.0f;""",
        (
            ("B, 1024, 0", "B, 1025, 0", "OG349"),
            ("B, 1024, 0", "B, 0, 0", "OG349"),
            ("t < 256", "t <= 256", "OG302"),
        ),
        launch="B, 1024, 0",
    ),
    GpuPair(
        "reversed_through_shared_memory",
        """  thread for (int b = 0; b < B; b++) {
    thread for (int t = 0; t < 256; t++)
      s[DMINDEX1(B, b)][t] = d[b][t];
    blocksync();
    thread for (int t = 0; t < 256; t++)
      d[b][t] = s[DMINDEX1(B, b)][255 - t];
  }""",
        (
            ("    blocksync();\n", "", "OG341"),
            ("    blocksync();\n", "    warpsync();\n", "OG345"),
            ("d[b][t] = s[DMINDEX1(B, b)]", "d[b][t] = s[DMINDEX1(B, B - 1 - b)]", "OG344"),
            ("s[DMINDEX1(B, b)][t] = d[b][t]", "s[DMINDEX1(B, B - 1 - b)][t] = d[b][t]", "OG344"),
            (
                "    blocksync();\n    thread for (int t = 0; t < 256; t++)\n",
                "    thread for (int t = 0; t < 256; t++) { blocksync(); }\n    thread for (int t = 0; t < 256; t++)\n",
                "OG345",
            ),
            ("  __smem_free1(s, 256);\n", "", "OG351"),
            ("  __smem_free1(s, 256);\n", "  __smem_free1(s, 255);\n", "OG351"),
            ("B, 256, 1024", "B, 256, 1023", "OG349"),
            ("d[b][t] = s[DMINDEX1(B, b)][255 - t]", "d[b][255 - t] = s[DMINDEX1(B, b)][255 - t]", "OG305"),
        ),
        "Matrix2(B, 256, fun b t -> A(b, 255 - t))",
        setup=SMEM,
        teardown=FREE,
    ),
    GpuPair(
        "barrier_at_block_level",
        """  thread for (int b = 0; b < B; b++) {
    __shared__ float s[256];
    thread for (int t = 0; t < 256; t++)
      s[t] = d[b][t];
    blocksync();
    thread for (int t = 0; t < 256; t++)
      d[b][t] = s[255 - t];
  }""",
        (
            ("    blocksync();\n", "", "OG341"),
            ("    blocksync();\n", "    if (b == 0) blocksync();\n", "OG341"),
            ("s[t] = d[b][t];", "{ __shared__ float r[1]; s[t] = d[b][t]; }", "OG346"),
            ("__shared__ float s[256]", "__shared__ float s[257]", "OG349"),
            ("__shared__ float s[256]", "__shared__ double s[256]", "OG349"),
            ("float s[256]", "float s[255]", "OG302"),
            (
                "  thread for (int b = 0; b < B; b++) {\n",
                "  blocksync();\n  thread for (int b = 0; b < B; b++) {\n",
                "OG345",
            ),
            ("d[b][t] = s[255 - t];", "{ d[b][t] = s[255 - t]; blocksync(); }", "OG345"),
            ("d[b][t] = s[255 - t];", "{ d[b][t] = s[255 - t]; if (t < 128) { blocksync(); } }", "OG345"),
        ),
        "Matrix2(B, 256, fun b t -> A(b, 255 - t))",
    ),
    GpuPair(
        "write_after_read_in_a_straight_line",
        """  thread for (int b = 0; b < B; b++) {
    __shared__ float s[256];
    thread for (int t = 0; t < 256; t++)
      s[t] = d[b][t];
    blocksync();
    thread for (int t = 0; t < 256; t++)
      d[b][t] = s[255 - t];
    blocksync(); // again
    thread for (int t = 0; t < 256; t++)
      s[t] = 0.0f;
  }""",
        (("    blocksync(); // again\n", "", "OG342"),),
        "Matrix2(B, 256, fun b t -> A(b, 255 - t))",
    ),
    GpuPair(
        "the_only_reader_may_write",
        """  thread for (int b = 0; b < B; b++) {
    __shared__ float s[256];
    thread for (int t = 0; t < 256; t++)
      s[t] = d[b][t];
    blocksync();
    thread for (int t = 0; t < 256; t++)
      d[b][t] = s[255 - t];
    thread for (int t = 0; t < 256; t++)
      s[255 - t] = 0.0f;
  }""",
        (
            ("s[255 - t] = 0.0f", "s[t] = 0.0f", "OG342"),
            ("d[b][t] = s[255 - t]", "d[b][t] = s[255 - t] + s[(t + 1) % 256]", "OG342"),
        ),
    ),
    GpuPair(
        "the_same_threads_in_other_loops",
        """  thread for (int b = 0; b < B; b++) {
    __shared__ float s[256];
    thread for (int y = 0; y < 8; y++)
      thread for (int x = 0; x < 32; x++)
        s[32 * y + x] = d[b][32 * y + x];
    thread for (int t = 0; t < 256; t++)
      s[t] = s[t] + 1.0f;
    thread for (int y = 0; y < 16; y++)
      thread for (int x = 0; x < 16; x++)
        d[b][16 * y + x] = s[16 * y + x];
  }""",
        (
            ("s[32 * y + x] = d[b][32 * y + x]", "s[8 * x + y] = d[b][8 * x + y]", "OG341"),
            ("d[b][16 * y + x] = s[16 * y + x]", "d[b][16 * x + y] = s[16 * x + y]", "OG342"),
            ("thread for (int y = 0; y < 16; y++)", "thread for (int y = 0; y < 6; y++)", "OG347"),
        ),
        "Matrix2(B, 256, fun b t -> A(b, t) + 1.0f)",
    ),
    GpuPair(
        "across_iterations",
        """  thread for (int b = 0; b < B; b++) {
    __shared__ float s[256];
    thread for (int t = 0; t < 256; t++)
      s[t] = 0.0f;
    for (int k = 0; k < 10; k++) {
      blocksync(); // first
      thread for (int t = 0; t < 256; t++)
        d[b][t] = s[255 - t];
      blocksync(); // second
      thread for (int t = 0; t < 256; t++)
        s[t] = d[b][t] + 1.0f;
    }
  }""",
        (
            ("      blocksync(); // first\n", "", "OG341"),
            ("      blocksync(); // second\n", "", "OG342"),
            (
                "    for (int k = 0; k < 10; k++) {\n",
                "    for (int k = 0; k < 10; k++) {\n      __shared__ float s2[256];\n",
                "OG349",
            ),
        ),
    ),
    GpuPair(
        "shared_memory_of_an_iteration",
        """  thread for (int b = 0; b < B; b++) {
    for (int k = 0; k < 10; k++) {
      __shared__ float s[256];
      thread for (int t = 0; t < 256; t++)
        s[t] = d[b][t];
      blocksync();
      thread for (int t = 0; t < 256; t++)
        d[b][t] = s[255 - t];
      blocksync(); // before the next iteration
    }
  }""",
        (("      blocksync(); // before the next iteration\n", "", "OG352"),),
        launch="B, 256, 64 * 1024",
    ),
    GpuPair(
        "between_blocks",
        """  thread for (int b = 0; b < B; b++)
    thread for (int t = 0; t < 256; t++)
      d[b][t] = 1.0f;
  kernel_teardown_begin();
  kernel_kill();
  kernel_launch(B, 256, 0);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++)
    thread for (int t = 0; t < 256; t++)
      d[B - 1 - b][t] = 2.0f;""",
        (
            (
                "  kernel_teardown_begin();\n  kernel_kill();\n  kernel_launch(B, 256, 0);\n  kernel_setup_end();\n",
                "",
                "OG343",
            ),
        ),
        "Matrix2(B, 256, fun b t -> 2.0f)",
    ),
    GpuPair(
        "read_by_one_block_written_by_another",
        """  thread for (int b = 0; b < B; b++) {
    __shared__ float s[256];
    thread for (int t = 0; t < 256; t++)
      s[t] = d[B - 1 - b][t];
    blocksync();
    thread for (int t = 0; t < 256; t++)
      s[255 - t] = 0.0f;
  }
  thread for (int b = 0; b < B; b++)
    thread for (int t = 0; t < 256; t++)
      d[B - 1 - b][t] = 1.0f;""",
        (("d[B - 1 - b][t] = 1.0f", "d[b][t] = 1.0f", "OG343"),),
        "Matrix2(B, 256, fun b t -> 1.0f)",
    ),
    GpuPair(
        "registers_of_a_block",
        """  thread for (int b = 0; b < B; b++) {
    float* const r = __treg_malloc0<float>();
    thread for (int t = 0; t < 256; t++)
      r[DMINDEX1(256, t)] = d[b][t];
    blocksync();
    thread for (int t = 0; t < 256; t++)
      d[b][255 - t] = r[DMINDEX1(256, t)];
  }""",
        (
            ("d[b][255 - t] = r[DMINDEX1(256, t)]", "d[b][t] = r[DMINDEX1(256, 255 - t)]", "OG344"),
            ("r[DMINDEX1(256, t)] = d[b][t]", "r[DMINDEX1(256, 255 - t)] = d[b][t]", "OG344"),
            ("    blocksync();\n", "", "OG342"),
        ),
        "Matrix2(B, 256, fun b t -> A(b, 255 - t))",
    ),
    GpuPair(
        "a_value_for_the_whole_block",
        """  thread for (int b = 0; b < B; b++) {
    const float x = d[b][0];
    if (b > 0) {
      blocksync();
      thread for (int t = 0; t < 256; t++)
        d[b][t] = x;
    } else {
      blocksync();
    }
  }""",
        (("    if (b > 0) {\n      blocksync();\n", "    if (b > 0) {\n", "OG342"),),
    ),
    GpuPair(
        "only_one_thread_writes",
        """  thread for (int b = 0; b < B; b++) {
    thread for (int t = 0; t < 256; t++)
      if (t == 7) d[b][0] = 1.0f;
  }""",
        (
            ("    thread for (int t = 0; t < 256; t++)\n      if (t == 7) ", "    ", "OG346"),
            ("if (t == 7) ", "if (t <= 7) ", "OG340"),
        ),
    ),
    GpuPair(
        "a_variable_of_each_thread",
        """  thread for (int b = 0; b < B; b++) {
    float stride = 1.0f;
    for (int k = 0; k < 3; k++) {
      thread for (int t = 0; t < 256; t++) {
        float x = 1.0f;
        x += 2.0f;
        d[b][t] = x;
      }
      stride *= 2;
    }
  }""",
        (("        d[b][t] = x;", "        d[b][t] = x; stride = 2.0f;", "OG340"),),
    ),
    GpuPair(
        "one_warp_at_a_time",
        """  thread for (int b = 0; b < B; b++) {
    __shared__ float s[256];
    thread for (int w = 0; w < 8; w++) {
      thread for (int l = 0; l < 32; l++)
        s[32 * w + l] = d[b][32 * w + l];
      warpsync();
      thread for (int l = 0; l < 32; l++)
        d[b][32 * w + l] = s[32 * w + 31 - l];
    }
  }""",
        (
            ("      warpsync();\n", "", "OG341"),
            ("      warpsync();\n", "      blocksync();\n", "OG345"),
            ("s[32 * w + 31 - l];", "s[32 * (7 - w) + 31 - l];", "OG340"),
        ),
    ),
    GpuPair(
        "a_tree_of_sums",
        """  thread for (int b = 0; b < B; b++) {
    __shared__ float s[256];
    thread for (int t = 0; t < 256; t++)
      s[t] = d[b][t];
    for (int k = 128; k > 0; k >>= 1) {
      blocksync();
      thread for (int t = 0; t < 256; t++)
        if (t < k) s[t] += s[t + k];
    }
    blocksync(); // after the tree
    const float total = s[0];
    thread for (int t = 0; t < 256; t++)
      d[b][t] = total;
  }""",
        (
            ("      blocksync();\n", "", "OG341"),
            ("    blocksync(); // after the tree\n", "", "OG341"),
            ("if (t < k) s[t]", "if (t <= k) s[t]", "OG302"),
            ("k = 128", "k = 64", "OG318"),
            ("s[t] += s[t + k]", "s[t] += s[t + k + 1]", "OG302"),
        ),
        "Matrix2(B, 256, fun b t -> Sum(k in 0..256, A(b, k)))",
    ),
    GpuPair(
        "a_sum_by_shuffles",
        """  thread for (int b = 0; b < B; b++) {
    float* const x = __treg_malloc0<float>();
    float* const y = __treg_malloc0<float>();
    thread for (int t = 0; t < 256; t++)
      x[DMINDEX1(256, t)] = d[b][t];
    thread for (int w = 0; w < 8; w++) {
      for (int k = 16; k > 0; k >>= 1) {
        shfl_down(&y[DMINDEX2(8, 32, w, 0)], &x[DMINDEX2(8, 32, w, 0)], k);
        thread for (int l = 0; l < 32; l++)
          if (l < k) x[DMINDEX2(8, 32, w, l)] += y[DMINDEX2(8, 32, w, l)];
      }
    }
    thread for (int t = 0; t < 256; t++)
      if (t % 32 == 0) d[b][t] = x[DMINDEX1(256, t)];
  }""",
        (
            ("shfl_down(&y[DMINDEX2(8, 32, w, 0)]", "shfl_down(&y[DMINDEX2(8, 32, w, 1)]", "OG340"),
            ("shfl_down(", "shfl_up(", "OG305"),
            ("x[DMINDEX1(256, t)];\n  }", "x[DMINDEX1(256, 255 - t)];\n  }", "OG344"),
            ("], k);", "], k + 16);", "OG354"),
        ),
        "Matrix2(B, 256, fun b t -> t % 32 == 0 ? Sum(l in 0..32, A(b, t + l)) : A(b, t))",
    ),
    GpuPair(
        "a_tree_of_maxima",
        """  thread for (int b = 0; b < B; b++) {
    __shared__ float s[256];
    thread for (int t = 0; t < 256; t++)
      s[t] = d[b][t];
    for (int half = 128; half > 0; half >>= 1) {
      blocksync();
      thread for (int t = 0; t < 256; t++)
        if (t < half) s[t] = fmaxf(s[t], s[t + half]);
    }
    blocksync();
    thread for (int t = 0; t < 256; t++)
      d[b][t] = s[0];
  }""",
        (
            ("s[t + half]);", "s[half]);", "OG305"),
            ("half = 128;", "half = 64;", "OG305"),
            ("s[t] = d[b][t]", "s[t] = fmaxf(0.0f, d[b][t])", "OG305"),  # wrong where all are negative
            ("      blocksync();\n", "", "OG341"),
            ("d[b][t] = s[0]", "d[b][t] = s[1]", "OG318"),
        ),
        "Matrix2(B, 256, fun b t -> Max(k in 0..256, A(b, k)))",
    ),
    GpuPair(
        "a_tree_of_minima",
        """  thread for (int b = 0; b < B; b++) {
    __shared__ float s[256];
    thread for (int t = 0; t < 256; t++)
      s[t] = d[b][t];
    for (int half = 128; half > 0; half >>= 1) {
      blocksync();
      thread for (int t = 0; t < 256; t++)
        if (t < half) s[t] = fminf(s[t], s[t + half]);
    }
    blocksync();
    thread for (int t = 0; t < 256; t++)
      d[b][t] = s[0];
  }""",
        (("s[t] = fminf(", "s[t] = fmaxf(", "OG305"),),
        "Matrix2(B, 256, fun b t -> Min(k in 0..256, A(b, k)))",
    ),
    GpuPair(
        "minima_of_parts",
        """  thread for (int b = 0; b < B; b++) {
    __shared__ float s[32];
    thread for (int t = 0; t < 32; t++) {
      float m = d[b][0];
      for (int j = 0; j < 4; j++)
        for (int k = 0; k < 2; k++)
          m = fminf(m, d[b][64 * j + 2 * t + k]);
      s[t] = m;
    }
    blocksync();
    thread for (int t = 0; t < 32; t++) {
      float m = s[0];
      for (int k = 1; k < 32; k++)
        if (s[k] < m) m = s[k];
      for (int j = 0; j < 8; j++)
        d[b][32 * j + t] = m;
    }
  }""",
        (
            ("float m = d[b][0]", "float m = 0.0f", "OG305"),  # wrong where all are positive
            ("j < 4", "j < 3", "OG305"),
            ("64 * j + 2 * t + k", "64 * j + t + k", "OG305"),
            ("k = 1; k < 32", "k = 1; k < 31", "OG305"),
            ("    blocksync();\n", "", "OG342"),
            ("if (s[k] < m)", "if (s[k] > m)", "OG305"),
        ),
        "Matrix2(B, 256, fun b t -> Min(k in 0..256, A(b, k)))",
        launch="B, 32, 128",
    ),
    GpuPair(
        "a_maximum_under_a_condition",
        """  thread for (int b = 0; b < B; b++)
    thread for (int t = 0; t < 128; t++) {
      float m = d[b][2 * t];
      for (int j = 0; j < 2; j++)
        if (j > 0) m = fmaxf(m, d[b][2 * t + j]);
      d[b][2 * t] = m;
    }""",
        (("if (j > 0)", "if (j < 1)", "OG305"), ("if (j > 0) m = fmaxf(m, d", "if (j > 0) m = fmaxf(0.0f, d", "OG305")),
        "Matrix2(B, 256, fun b t -> t % 2 == 0 ? max(A(b, t), A(b, t + 1)) : A(b, t))",
        launch="B, 128, 0",
    ),
    GpuPair(
        "four_cells_at_once",
        """  thread for (int b = 0; b < B; b++)
    thread for (int t = 0; t < 64; t++) {
      float r[4];
      vload4(&r[0], &d[b][4 * t]);
      for (int j = 0; j < 4; j++) r[j] = 2.0f * r[j];
      vstore4(&d[b][4 * t], &r[0]);
    }""",
        (
            ("vload4(&r[0], &d[b][4 * t])", "vload4(&r[0], &d[b][4 * t + 1])", "OG353"),
            ("vstore4(&d[b][4 * t]", "vstore4(&d[b][4 * (t / 2)]", "OG340"),
        ),
        "Matrix2(B, 256, fun b t -> 2.0f * A(b, t))",
        launch="B, 64, 0",
    ),
    GpuPair(
        "a_tail_with_a_guard",
        """  thread for (int64_t b = 0; b < (B * 256 + 99) / 100; b++)
    thread for (int t = 0; t < 100; t++)
      if (100 * b + t < 256 * B) d[(100 * b + t) / 256][(100 * b + t) % 256] = 0.0f;""",
        (
            ("if (100 * b + t < 256 * B) ", "if (100 * b + t <= 256 * B) ", "OG302"),
            ("if (100 * b + t < 256 * B) ", "", "OG302"),
        ),
        "Matrix2(B, 256, fun b t -> 0.0f)",
        launch="(B * 256 + 99) / 100, 100, 0",
    ),
    GpuPair(
        "a_device_function",
        """  thread for (int b = 0; b < B; b++)
    thread for (int t = 0; t < 256; t++) {
      const float x = twice(d[b][t]);
      put(1, &d[b][t], x);
    }""",
        (
            ("put(1, &d[b][t], x);", "put(1, &d[b][0], x);", "OG340"),
            ("kernel_launch(", "const float y = twice(1.0f);\n  kernel_launch(", "OG346"),
            ("p[0] = x;", "p[0] = x; blocksync();", "OG345"),
        ),
        "Matrix2(B, 256, fun b t -> 2.0f * A(b, t))",
        before="""__device__ float twice(float x) { __ensures("_Res == 2.0f * x"); return 2.0f * x; }
__device__ void put(int n, float p[n], float x) { __requires("n >= 1"); __writes("&p[0] ~~> x"); p[0] = x; }
""",
    ),
    GpuPair(
        "a_double_buffer",
        """  thread for (int b = 0; b < B; b++) {
    __shared__ float s[2][16];
    float* const acc = __treg_malloc0<float>();
    thread for (int t = 0; t < 256; t++) {
      acc[DMINDEX1(256, t)] = 0.0f;
      if (t < 16) s[0][t] = d[b][t];
    }
    blocksync();
    for (int k = 0; k < 16; k++) {
      thread for (int t = 0; t < 256; t++)
        acc[DMINDEX1(256, t)] += s[k % 2][15 - t % 16];
      if (k + 1 < 16)
        thread for (int t = 0; t < 256; t++)
          if (t < 16) s[(k + 1) % 2][t] = d[b][16 * (k + 1) + t];
      blocksync();
    }
    thread for (int t = 0; t < 256; t++)
      d[b][t] = acc[DMINDEX1(256, t)];
  }""",
        (
            ("      blocksync();\n    }\n", "    }\n", "OG341"),
            ("    blocksync();\n    for", "    for", "OG341"),
            ("s[(k + 1) % 2][t] = ", "s[k % 2][t] = ", "OG318"),
            ("s[k % 2][15 - t % 16]", "s[(k + 1) % 2][15 - t % 16]", "OG304"),
            ("s[0][t] = d[b][t]", "s[1][t] = d[b][t]", "OG318"),
            ("s[0][t] = d[b][t]", "s[0][t] = d[b][t + 1]", "OG318"),
            ("16 * (k + 1) + t", "16 * k + t", "OG318"),
            ("if (k + 1 < 16)", "if (k + 2 < 16)", "OG304"),
        ),
        "Matrix2(B, 256, fun b t -> Sum(k in 0..16, A(b, 16 * k + 15 - t % 16)))",
        launch="B, 256, 32 * sizeof(float)",
    ),
    GpuPair(
        "a_scan_in_place",
        """  thread for (int b = 0; b < B; b++)
    thread for (int t = 0; t < 16; t++) {
      float x[16];
      for (int v = 0; v < 16; v++) x[v] = d[b][16 * t + v];
      float sum = 0.0f;
      for (int v = 0; v < 16; v++) {
        sum += x[v];
        x[v] = sum;
      }
      for (int v = 0; v < 16; v++) d[b][16 * t + v] = x[v];
    }""",
        (
            ("float sum = 0.0f;", "float sum = 1.0f;", "OG305"),
            ("        sum += x[v];\n        x[v] = sum;", "        x[v] = sum;\n        sum += x[v];", "OG305"),
            ("sum += x[v];", "sum += x[15 - v];", "OG305"),
            ("for (int v = 0; v < 16; v++) {", "for (int v = 1; v < 16; v++) {", "OG305"),
        ),
        "Matrix2(B, 256, fun b t -> Sum(k in 16 * (t / 16)..t + 1, A(b, k)))",
        launch="B, 16, 0",
    ),
    GpuPair(
        "one_block_leaves_its_shared_memory",
        """  thread for (int b = 0; b < 1; b++) {
    __shared__ float s[256];
    thread for (int t = 0; t < 256; t++)
      s[t] = 1.0f;
    blocksync();
    thread for (int t = 0; t < 256; t++)
      for (int r = 0; r < B; r++)
        d[r][t] = s[255 - t];
  }""",
        (
            ("    blocksync();\n", "", "OG341"),
            ("  thread for (int b = 0; b < 1; b++) {", "  for (int b = 0; b < 2; b++) {", "OG352"),
        ),
        "Matrix2(B, 256, fun b t -> 1.0f)",
        launch="1, 256, 1024",
    ),
]
