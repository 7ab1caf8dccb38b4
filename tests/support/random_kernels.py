"""Random kernels that may race: thread loops grouped in different ways, with barriers anywhere."""

from __future__ import annotations

from random import Random

DIVISIONS = {4: [(4,), (2, 2), (4, 1)], 6: [(6,), (2, 3), (3, 2), (1, 6)]}


class KernelMaker:
    """Kernels over a global array d[G * T], shared arrays s and r of T cells, and a register of each thread."""

    def __init__(self, random: Random) -> None:
        self.r = random
        self.threads = self.r.choice([4, 6])
        self.names = 0

    def name(self) -> str:
        self.names += 1
        return f"i{self.names}"

    def program(self) -> str:
        t = self.threads
        body = "".join(self.block_statement(2) for _ in range(self.r.randint(2, 5)))
        second = ""
        if self.r.random() < 0.2:
            inner = "".join(self.block_statement(1) for _ in range(self.r.randint(1, 2)))
            second = f"  thread for (int b = 0; b < G; b++) {{\n{inner.replace('s[', 'd[')}  }}\n"
            second = second if "r[" not in second and "x[" not in second else ""
        return f"""#include <optigpu.h>
void f(int G, float d[G * {t}]) {{
  __requires("G >= 0");
  __preserves("d ~> Cells1Of(G * {t}, GMem)");
  kernel_launch(G, {t}, 1024);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) {{
    __shared__ float s[{t}];
    __shared__ float r[{t}];
    float* const x = __treg_malloc0<float>();
    thread for (int q = 0; q < {t}; q++) {{ s[q] = 0.0f; r[q] = 1.0f; x[q] = 2.0f; }}
    {self.r.choice(["blocksync();", "blocksync();", ""])}
{body}  }}
{second}  kernel_teardown_begin();
  kernel_kill();
}}
"""

    def block_statement(self, depth: int) -> str:
        r = self.r
        kind = r.choice(["threads"] * 5 + ["barrier"] * 4 + (["loop", "if"] if depth else []) + ["load"])
        match kind:
            case "barrier":
                return "    blocksync();\n"
            case "loop":
                inner = "".join(self.block_statement(depth - 1) for _ in range(r.randint(1, 3)))
                n, most = self.name(), r.choice([0, 1, 2, 3])
                return f"    for (int {n} = 0; {n} < {most}; {n}++) {{\n{inner}    }}\n"
            case "if":
                inner = "".join(self.block_statement(depth - 1) for _ in range(r.randint(1, 2)))
                return f"    if (b {r.choice(['==', '<', '>'])} {r.randint(0, 2)}) {{\n{inner}    }}\n"
            case "load":
                return f"    const float {self.name()} = s[{r.randrange(self.threads)}];\n"
            case _:
                return self.thread_loop()

    def thread_loop(self) -> str:
        r, t = self.r, self.threads
        extents = r.choice(DIVISIONS[t])
        names = [self.name() for _ in extents]
        number = names[0]
        for n, e in zip(names[1:], extents[1:]):
            number = f"{number} * {e} + {n}"
        statements = "".join(self.statement(f"({number})", names, extents) for _ in range(r.randint(1, 2)))
        heads = "".join(f"thread for (int {n} = 0; {n} < {e}; {n}++) " for n, e in zip(names, extents))
        return f"    {heads}{{\n{statements}    }}\n"

    def index(self, number: str, names: list[str], extents: tuple[int, ...]) -> str:
        r, t = self.r, self.threads
        options = [number] * 5 + [f"({t - 1} - {number})", f"(({number} + 1) % {t})", str(r.randrange(t))]
        if len(names) == 2:
            options += [f"({names[1]} * {extents[0]} + {names[0]})"] * 2
        return r.choice(options)

    def place(self, number: str, names: list[str], extents: tuple[int, ...]) -> str:
        array = self.r.choice(["s", "s", "s", "r", "d", "x"])
        index = self.index(number, names, extents)
        if array == "x":
            return f"x[{number}]"
        block = self.r.choice(["b"] * 6 + ["(G - 1 - b)"])
        return f"d[{block} * {self.threads} + {index}]" if array == "d" else f"{array}[{index}]"

    def statement(self, number: str, names: list[str], extents: tuple[int, ...]) -> str:
        guard = self.r.choice([""] * 4 + [f"if ({number} < {self.r.randint(0, 3)}) ", f"if ({names[0]} == 1) "])
        to, a, b = (self.place(number, names, extents) for _ in range(3))
        return f"      {guard}{to} = {a} + {self.r.choice([b, '1.0f'])};\n"
