"""What random kernels of every shape share: device functions, a host function around a kernel, barriers and claims."""

from __future__ import annotations

from random import Random

SUM_BLOCK = """__device__ void fold_block(float s[{t}]) {{
  __requires("A: int -> float");
  __preserves("ThreadsCtx({t})");
  __reads("KernelParams(_, {t}, _)");
  __consumes("desync_for t in ..{t} -> &s[t] ~~>[SMem] A(t)");
  __produces("&s[0] ~~>[SMem] {fold}(k in 0..{t}, A(k)), for t in 1..{t} -> &s[t] ~>[SMem] Cell");
  for (int h = {half}; h > 0; h >>= 1) {{
    {first}
    thread for (int t = 0; t < {t}; t++) if (t < h) {{ {step} }}
  }}
  {last}
}}
"""
SUM_WARP = """__device__ void sum_warp(float x[32], float y[32]) {{
  __requires("A: int -> float");
  __preserves("ThreadsCtx({threads})");
  __consumes("desync_for l in ..32 -> &x[l] ~~>[TReg] A(l)");
  __produces("desync_for l in ..32 -> If(l == 0, &x[l] ~~>[TReg] Sum(k in 0..32, A(k))) * If(l > 0, &x[l] ~>[TReg] Cell)");
  __preserves("desync_for l in ..32 -> &y[l] ~>[TReg] UninitCell");
  for (int d = 16; d > 0; d >>= 1) {{
    shfl_down(&y[0], &x[0], d);
    thread for (int l = 0; l < 32; l++) if (l < d) {{ x[l] += y[l]; }}
  }}
}}
"""
ROTATE = """__device__ void rotate(int n, float s[n], float r[n]) {{
  __requires("A: int -> float");
  __preserves("ThreadsCtx(n)");
  __reads("KernelParams(_, n, _), desync_for t in ..n -> &s[t] ~~>[SMem] A(t)");
  __writes("desync_for t in ..n -> &r[t] ~~>[SMem] A(n - 1 - t)");
  {sync}
  thread for (int t = 0; t < n; t++) r[t] = s[n - 1 - t];
}}
"""
ADD_PART = """__device__ void add_part(int n, float p[n], float q[n]) {
  __requires("A: int -> float, C: int -> float");
  __preserves("ThreadsCtx(n)");
  __consumes("desync_for t in ..n -> &p[t] ~~>[SMem] A(t)");
  __reads("desync_for t in ..n -> &q[t] ~~>[SMem] C(t)");
  __produces("desync_for t in ..n -> &p[t] ~~>[SMem] A(t) + C(t)");
  thread for (int t = 0; t < n; t++) p[t] += q[t];
}
"""
ROW = """__device__ float row_sum(int n, float p[n]) {
  __requires("A: int -> float");
  __reads("p ~> Matrix1Of(n, GMem, A)");
  __ensures("_Res == Sum(k in 0..n, A(k))");
  float v = 0.0f;
  for (int k = 0; k < n; k++) v += p[k];
  return v;
}
"""


class GpuShape:
    """A maker of random kernels. `kinds` names the methods that make one."""

    kinds: tuple[str, ...] = ()

    def __init__(self, random: Random, careful: float = 0.75) -> None:
        self.r = random
        self.t = random.choice([2, 4, 4, 6, 8])
        self.careful = random.random() < careful

    def program(self) -> str:
        make = getattr(self, self.r.choice(self.kinds))
        text: str = make()
        return text

    def sync(self, name: str = "blocksync") -> str:
        """A barrier that is needed."""
        return f"{name}();" if self.careful or self.r.random() < 0.5 else ""

    def claim(self, array: str, sizes: str, names: str, right: str, near: list[str]) -> str:
        """What is produced: mostly what is there, sometimes less, sometimes something else. `sizes` ends with the memory space."""
        how, count = self.r.random(), len(names.split())
        if how < 0.2:
            return f"{array} ~> Cells{count}Of({sizes})"
        what = right if how < 0.93 else self.r.choice(near)
        return f"{array} ~> Matrix{count}Of({sizes}, fun {names} -> {what})"

    def on_rows(
        self, n: int, body: str, right: str, *, threads: int | None = None, before: str = "", setup: tuple[str, str] = ("", ""),
        shared: int = 1024,
    ) -> str:  # fmt: skip
        """A block for each row of d, which has n columns and holds D(b, t) before."""
        claim = self.claim("d", f"G, {n}, GMem", "b t", right, ["D(b, t)", "0", f"D(b, {n - 1} - t)"])
        return f"""{before}void f(int G, int m, float d[G][{n}]) {{
  __requires("D: int * int -> float, G >= 0");
  __consumes("d ~> Matrix2Of(G, {n}, GMem, D)");
  __produces("{claim}");
  kernel_launch(G, {threads or n}, {shared});
{setup[0]}  kernel_setup_end();
  thread for (int b = 0; b < G; b++) {{
{body}
  }}
  kernel_teardown_begin();
{setup[1]}  kernel_kill();
}}
"""

    def exchange(self, n: int) -> tuple[str, str, str]:
        """Where thread t of n writes, where it reads afterwards, and whose value it then has."""
        c = self.r.randint(1, n - 1)
        reverse, rotate = f"{n - 1} - t", f"(t + {c}) % {n}"
        read = [("t", at, at) for at in (reverse, rotate, str(c), "t / 2")]
        return self.r.choice(
            [*read, (reverse, "t", reverse), (reverse, reverse, "t"), (rotate, "t", f"(t + {n - c}) % {n}")]
        )
