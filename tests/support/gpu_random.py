"""Random GPU programs: phases of thread loops, grouped in different ways, on shared memory, registers and global memory."""

from __future__ import annotations

import random

THREADS = 16
GROUPINGS = [(16,), (4, 4), (2, 8), (8, 2), (2, 2, 4), (1, 16)]


def random_program(seed: int) -> str:
    """A program that may or may not race: barriers between its phases are there three times out of four."""
    return _Generator(random.Random(seed)).program()


class _Generator:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def program(self) -> str:
        phases = [self.phase(k) for k in range(self.rng.randint(2, 5))]
        body = ""
        for p in phases:
            body += p + ("      blocksync();\n" if self.rng.random() < 0.75 else "")
        if self.rng.random() < 0.4:
            body = f"      for (int r = 0; r < {self.rng.randint(1, 3)}; r++) {{\n{body}      blocksync();\n      }}\n"
        pad = self.rng.randint(0, 3)
        return f"""void f(int B, float h[B][16]) {{
  __requires("A: int * int -> float");
  __consumes("h ~> Matrix2(B, 16, A)");
  __produces("h ~> Cells2(B, 16)");
  float* const d = __gmem_malloc2<float>(B, 16);
  memcpy_host_to_device2(d, h, B, 16);
  kernel_launch(B, 16, (4 * {4 + pad} + 32) * sizeof(float));
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {{
      __shared__ float s[4][{4 + pad}];
      __shared__ float u[16];
      __shared__ int v[16];
      float* const x = __treg_malloc0<float>();
      float* const y = __treg_malloc1<float>(3);
      thread for (int t = 0; t < 16; t++) {{
        x[DMINDEX1(16, t)] = d[b][t];
        for (int i = 0; i < 3; i++) y[DMINDEX1(16, t)][i] = i + t;
        s[t / 4][t % 4] = 1.0f;
        u[t] = 2.0f;
        v[t] = t;
      }}
      blocksync();
{body}      blocksync();
      thread for (int t = 0; t < 16; t++) d[b][t] = x[DMINDEX1(16, t)] + y[DMINDEX1(16, t)][1] + s[t / 4][t % 4] + u[15 - t];
  }}
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(h, d, B, 16);
  gmem_free(d);
}}
"""

    def phase(self, k: int) -> str:
        grouping = self.rng.choice(GROUPINGS)
        names = [f"i{k}{n}" for n in range(len(grouping))]
        head = "".join(f"thread for (int {n} = 0; {n} < {e}; {n}++) {{ " for n, e in zip(names, grouping))
        number = names[0]
        for n, e in zip(names[1:], grouping[1:]):
            number = f"({number}) * {e} + {n}"
        statements = " ".join(self.statement() for _ in range(self.rng.randint(1, 3)))
        register = f"x[DMINDEX{len(names)}({', '.join(map(str, grouping))}, {', '.join(names)})]"
        text = statements.replace("REG", register).replace("TUP", register.replace("x[", "y["))
        return f"      {head}const int t = {number}; {text} {'}' * len(grouping)}\n"

    def cell(self) -> str:
        """A permutation of the threads, mostly."""
        a, c = self.rng.choice([1, 3, 5, 15, 7]), self.rng.randint(0, 15)
        place = self.rng.choice(["t", "t", "15 - t", f"({a} * t + {c}) % 16", "t / 4 * 4 + (t + 1) % 4", "t ^ 1"])
        if self.rng.random() < 0.5:
            return f"u[{place}]"
        return f"s[({place}) / 4][({place}) % 4]"

    def statement(self) -> str:
        value = self.rng.choice(["REG", "REG + 1.0f", "2.0f * t", "TUP[1]", "TUP[2] - REG"])
        kind = self.rng.randint(0, 9)
        match kind:
            case 0 | 1:
                return f"{self.cell()} = {value};"
            case 2 | 3:
                return f"REG += {self.cell()};"
            case 4:
                test = f"t % {self.rng.randint(2, 4)} == {self.rng.randint(0, 1)}"
                return f"if ({test}) {{ {self.cell()} = {value}; }} else {{ REG = t; }}"
            case 5:
                return f"for (int q = 0; q < {self.rng.randint(1, 3)}; q++) {{ TUP[q] += {self.cell()}; REG = REG + TUP[q]; }}"
            case 6:
                return f"REG = d[b][t] + d[b][(t + {self.rng.randint(0, 2)}) % 16];"
            case 7:
                return f"d[b][t] = {value};"
            case 8:
                test = self.rng.choice(
                    ["v[t] > old", "v[t] - old == 3", "v[t] / 4 >= old / 4", "(v[t] + 16) % 16 < old"]
                )
                return f"{{ const int old = v[t]; v[t] = old + 3; if ({test}) {{ REG += 1.0f; }} }}"
            case _:
                steps = self.rng.randint(1, 4)
                return (
                    f"{{ int k = t; const int from = k; k += {steps}; for (int i = from; i < k; i++) {{ REG += i % 4; }} "
                    f"for (int i = k; i < {steps + 12}; i++) {{ if (i >= k) {{ k += 2; REG += i / 2; }} }} "
                    f"if (k - from > {steps}) {{ REG -= 2.0f; }} }}"
                )
