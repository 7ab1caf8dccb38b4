"""GPU programs that are right, each with wrong twins: one change, and what a run of it must report.

`says` is the interpreter's code; `code` is the checker's, None where it is not settled. Mostly, `B` blocks of a few threads work on
the rows of a matrix `h`, copied to the device as `d`.
"""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import dedent, indent


@dataclass(frozen=True)
class GpuWrong:
    old: str
    new: str
    says: str
    code: str | None = None
    verdict: str = "REFUTED"


@dataclass(frozen=True)
class GpuPair:
    name: str
    good: str
    wrong: tuple[GpuWrong, ...]

    def twin(self, wrong: GpuWrong) -> str:
        assert self.good.count(wrong.old) == 1, f"{self.name}: {self.good.count(wrong.old)} times {wrong.old!r}"
        return self.good.replace(wrong.old, wrong.new)


def rows(
    body: str,
    result: str = "A(b, t)",
    *,
    threads: int = 8,
    shared: str = "0",
    setup: str = "",
    teardown: str = "",
    before: str = "",
) -> str:
    """A function that runs `body` for each row b, with a block of `threads` threads."""

    def at(text: str, depth: int) -> str:
        return indent(dedent(text).strip("\n") + "\n", "  " * depth) if text else ""

    return (
        at(before, 0)
        + f"""void f(int B, float h[B][{threads}]) {{
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, {threads}, A)");
  __produces("h ~> Matrix2(B, {threads}, fun b t -> {result})");
  float* const d = __gmem_malloc2<float>(B, {threads});
  memcpy_host_to_device2(d, h, B, {threads});
  kernel_launch(B, {threads}, {shared});
{at(setup, 1)}  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {{
{at(body, 2)}  }}
  kernel_teardown_begin();
{at(teardown, 1)}  kernel_kill();
  memcpy_device_to_host2(h, d, B, {threads});
  gmem_free(d);
}}
"""
    )


SYNC = "blocksync();\n"
LAUNCH = "kernel_launch(B, 8, "

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
            GpuWrong("const float first = d[b][0];", "float first = d[b][0]; first += 1.0f;", "OG228"),
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
            GpuWrong(
                "thread for (int t = 0; t < 8; t++) {",
                "float u = 0.0f; u = 1.0f; thread for (int t = 0; t < 8; t++) {",
                "OG228",
            ),
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
            GpuWrong("__shared__ float s[8];", "float s[8];", "OG228"),
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

GPU_PAIRS = [*BARRIERS, *OWN_CELLS, *REGISTERS, *SPACES, *LAUNCHES, *WARPS, *VECTORS, *REFERENCE]
