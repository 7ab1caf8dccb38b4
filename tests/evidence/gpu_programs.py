"""Random kernels that are right by construction, or nearly: phases of thread loops on registers, shared and global memory.

Each phase says what the arrays hold after it as a function of block b and thread t. Careful programs have a barrier wherever
threads exchange something; others have lost some.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

Spec = Callable[[str], str]  # what is held at thread number t of block b
GROUPINGS = {
    2: [(2,), (2,), (1, 2), (2, 1)],
    4: [(4,), (4,), (2, 2), (4, 1)],
    6: [(6,), (2, 3), (3, 2)],
    8: [(8,), (8,), (2, 4), (4, 2), (2, 2, 2)],
    32: [(32,), (4, 8), (2, 16)],
    64: [(64,), (2, 32), (8, 8), (4, 4, 4)],
    96: [(96,), (3, 32), (4, 24)],
    128: [(128,), (4, 32), (16, 8), (2, 8, 8)],
}
SMALL = 8  # threads of a block: one warp, or a part of it
DEVICE = {
    "twice": """__device__ float twice(float v) {
  __ensures("_Res == 2 * v");
  return 2.0f * v;
}
""",
}


SHARE = """__device__ void share(float p[{t}]) {{
  __requires("A: int -> float");
  __preserves("ThreadsCtx({t})");
  __reads("KernelParams(_, {t}, _)");
  __consumes("desync_for t in ..{t} -> &p[t] ~~>[SMem] A(t)");
  __produces("for t in ..{t} -> &p[t] ~~>[SMem] A(t)");
  blocksync();
}}
"""
MIRROR = """__device__ void mirror(float p[{t}], float q[{t}]) {{
  __requires("A: int -> float");
  __preserves("ThreadsCtx({t})");
  __reads("KernelParams(_, {t}, _), desync_for t in ..{t} -> &p[t] ~~>[SMem] A(t)");
  __writes("desync_for t in ..{t} -> &q[t] ~~>[SMem] A({last} - t)");
  blocksync();
  thread for (int t = 0; t < {t}; t++) q[t] = p[{last} - t];
}}
"""
GROUP_FUNCTIONS = {"share": SHARE, "mirror": MIRROR}
SETUP = "q[DMINDEX1(G, b)]"  # the block's copy of an array that the launch allocates


class GpuMaker:
    def __init__(self, random: Random, threads: tuple[int, ...] = (2, 4, 4, 6, 8), careful: float = 0.75) -> None:
        self.r = random
        self.t = random.choice(threads)
        self.careful = random.random() < careful
        self.exact = True
        self.names = 0
        self.specs: dict[str, Spec] = {}
        self.device: set[str] = set()

    def fresh(self, stem: str = "i") -> str:
        self.names += 1
        return f"{stem}{self.names}"

    def program(self) -> str:
        if self.r.random() < 0.15:
            return self.flat_program()
        r, t = self.r, self.t
        self.specs = {"d": lambda j: f"D(b, {j})"}
        arrays = r.sample(["s", "u", "x", SETUP], r.randint(1, 3))
        body = "".join(self.declared(a) for a in arrays) + self.first(arrays)
        for _ in range(r.randint(1, 3)):
            body += self.phase(arrays) + self.barrier()
        body += self.last(arrays)
        second = self.second_kernel() if r.random() < 0.15 else ""
        functions = {**DEVICE, **{name: f.format(t=t, last=t - 1) for name, f in GROUP_FUNCTIONS.items()}}
        device = "".join(functions[name] for name in sorted(self.device))
        how = r.random()
        claim = f"d ~> Cells2Of(G, {t}, GMem)"
        if self.exact and how < 0.6:
            claim = f"d ~> Matrix2Of(G, {t}, GMem, fun b t -> {self.specs['d']('t')})"
        elif how > 0.93:
            claim = f"d ~> Matrix2Of(G, {t}, GMem, fun b t -> {r.choice(['D(b, t)', '0', f'D(b, {t - 1} - t)'])})"
        setup, teardown = self.outside(arrays)
        return f"""{device}void f(int G, int m, float d[G][{t}]) {{
  __requires("D: int * int -> float, G >= 0");
  __consumes("d ~> Matrix2Of(G, {t}, GMem, D)");
  __produces("{claim}");
  kernel_launch(G, {t}, {r.choice([256, 256, 256, 8 * t]) if t <= SMALL else 16 * t});
{setup}  kernel_setup_end();
  thread for (int b = 0; b < G; b++) {{
{body}  }}
  kernel_teardown_begin();
{teardown}  kernel_kill();
{second}}}
"""

    def outside(self, arrays: list[str]) -> tuple[str, str]:
        if SETUP not in arrays:
            return "", ""
        return f"  float* const q = __smem_malloc1<float>({self.t});\n", f"  __smem_free1(q, {self.t});\n"

    def declared(self, name: str) -> str:
        if name == SETUP:
            return ""
        if name == "x":
            return "    float* const x = __treg_malloc0<float>();\n"
        return f"    __shared__ float {name}[{self.t + self.r.choice([0, 0, 1])}];\n"

    def barrier(self, needed: bool = True) -> str:
        if (self.careful and needed) or self.r.random() < 0.6:
            return f"    {self.r.choice(['blocksync', 'blocksync', '__syncthreads'])}();\n"
        return ""

    # Thread loops

    def threads(self, statements: Callable[[str, str], str]) -> str:
        """Statements for each thread, given the expressions for its number and its register."""
        extents = self.r.choice(GROUPINGS[self.t])
        names = [self.fresh() for _ in extents]
        heads = "".join(f"thread for (int {n} = 0; {n} < {e}; {n}++) " for n, e in zip(names, extents))
        number = names[0]
        for n, e in zip(names[1:], extents[1:]):
            number = f"({number}) * {e} + {n}"
        register = f"x[DMINDEX{len(names)}({', '.join(map(str, extents))}, {', '.join(names)})]"
        if len(names) > 1:
            number = f"({number})"
        return f"    {heads}{{ {statements(number, register)} }}\n"

    def first(self, arrays: list[str]) -> str:
        def statements(t: str, x: str) -> str:
            out = []
            for a in arrays:
                value, spec = self.r.choice(
                    [
                        ("1.0f", lambda j: "1"),
                        (f"d[b][{t}]", lambda j: f"D(b, {j})"),
                        (f"(float){t}", lambda j: f"({j})"),
                    ]
                )
                self.specs[a] = spec
                out.append(f"{x if a == 'x' else f'{a}[{t}]'} = {value};")
            return " ".join(out)

        return self.threads(statements) + self.barrier()

    def last(self, arrays: list[str]) -> str:
        a = self.r.choice(arrays)
        s = self.specs[a]
        self.specs["d"] = s
        return self.threads(lambda t, x: f"d[b][{t}] = {x if a == 'x' else f'{a}[{t}]'};")

    def permuted(self, t: str) -> tuple[str, Spec]:
        """A permutation of the threads, and its inverse."""
        n, c = self.t, self.r.randint(1, self.t - 1)
        return self.r.choice(
            [
                (t, lambda j: j),
                (t, lambda j: j),
                (f"{n - 1} - {t}", lambda j: f"({n - 1} - {j})"),
                (f"({t} + {c}) % {n}", lambda j: f"(({j} + {n - c}) % {n})"),
            ]
        )

    def elsewhere(self, t: str) -> tuple[str, Spec]:
        """A cell to read, as a function of the thread."""
        n, c = self.t, self.r.randint(1, self.t - 1)
        return self.r.choice(
            [
                (t, lambda j: j),
                (f"{n - 1} - {t}", lambda j: f"({n - 1} - {j})"),
                (f"({t} + {c}) % {n}", lambda j: f"(({j} + {c}) % {n})"),
                (f"{t} / 2", lambda j: f"({j} / 2)"),
                (str(c), lambda j: str(c)),
            ]
        )

    def phase(self, arrays: list[str]) -> str:
        r = self.r
        shared = [a for a in arrays if a != "x"]
        kinds = ["global", "global"]
        if shared:
            kinds += ["write", "write", "guarded", "sum", "uniform", "tree", "loop", "share"]
        if "s" in shared and "u" in shared:
            kinds += ["mirror", "mirror"]
        if "x" in arrays:
            kinds += ["register", "local"]
        if shared and "x" in arrays:
            kinds += ["read", "read", "read", "exchange", "gather", "pipeline"]
        kind = r.choice(kinds)
        return getattr(self, f"do_{kind}")(arrays, r.choice(shared) if shared else "")  # type: ignore[no-any-return]

    def do_register(self, arrays: list[str], s: str) -> str:
        old = self.specs["x"]
        if self.r.random() < 0.3:
            self.device.add("twice")
            self.specs["x"] = lambda j: f"2 * {old(j)}"
            return self.threads(lambda t, x: f"{x} = twice({x});")
        k = self.r.randint(0, 3)
        self.specs["x"] = lambda j: f"({old(j)} + {k})"
        q = self.fresh("q")
        return self.threads(lambda t, x: f"for (int {q} = 0; {q} < {k}; {q}++) {x} += 1.0f;")

    def do_local(self, arrays: list[str], s: str) -> str:
        old = self.specs["x"]
        self.specs["x"] = lambda j: f"({old(j)} * 2 + {j})"
        v = self.fresh("v")
        return self.threads(lambda t, x: f"float {v}[2]; {v}[0] = {x}; {v}[1] = {v}[0] + {t}; {x} = {v}[0] + {v}[1];")

    def do_global(self, arrays: list[str], s: str) -> str:
        old = self.specs["d"]
        self.specs["d"] = lambda j: f"({old(j)} + 1)"
        return self.threads(lambda t, x: f"d[b][{t}] += 1.0f;")

    def do_write(self, arrays: list[str], s: str) -> str:
        made: list[Spec] = []

        def statements(t: str, x: str) -> str:
            at, inverse = self.permuted(t)
            value, spec = self.r.choice([(f"d[b][{t}]", self.specs["d"]), (f"2.0f * {t}", lambda j: f"2 * {j}")])
            if "x" in arrays and self.r.random() < 0.7:
                value, spec = f"{x}", self.specs["x"]
            made.append(lambda j: spec(inverse(j)))
            return f"{s}[{at}] = {value};"

        code = self.threads(statements)
        self.specs[s] = made[0]
        return code

    def do_guarded(self, arrays: list[str], s: str) -> str:
        old, c = self.specs[s], self.r.randint(0, self.t)
        self.specs[s] = lambda j: f"({j} < {c} ? 0 : {old(j)})"
        return self.threads(lambda t, x: f"if ({t} < {c}) {{ {s}[{t}] = 0.0f; }}")

    def do_read(self, arrays: list[str], s: str) -> str:
        made: list[Spec] = []
        old, held = self.specs["x"], self.specs[s]

        def statements(t: str, x: str) -> str:
            at, where = self.elsewhere(t)
            made.append(lambda j: f"({old(j)} + {held(where(j))})")
            return f"{x} += {s}[{at}];"

        code = self.threads(statements)
        self.specs["x"] = made[0]
        return code

    def do_share(self, arrays: list[str], s: str) -> str:
        """A function that the whole block calls: a barrier for one array."""
        self.device.add("share")
        own = self.threads(lambda t, x: f"{s}[{t}] += 1.0f;")
        old = self.specs[s]
        self.specs[s] = lambda j: f"({old(j)} + 1)"
        return f"{own}    share({s});\n"

    def do_mirror(self, arrays: list[str], s: str) -> str:
        """One shared array from the other, by a function that the whole block calls."""
        self.device.add("mirror")
        source, other = self.r.choice([("s", "u"), ("u", "s")])
        held = self.specs[source]
        self.specs[other] = lambda j: held(f"({self.t - 1} - {j})")
        return f"    mirror({source}, {other});\n"

    def do_exchange(self, arrays: list[str], s: str) -> str:
        return self.do_read(arrays, s) + self.barrier() + self.do_write(arrays, s)

    def do_gather(self, arrays: list[str], s: str) -> str:
        old, held, k, n = self.specs["x"], self.specs[s], self.r.randint(1, 3), self.t
        self.specs["x"] = lambda j: "(" + " + ".join([old(j), *(held(f"(({j} + {q}) % {n})") for q in range(k))]) + ")"
        q = self.fresh("q")
        return self.threads(lambda t, x: f"for (int {q} = 0; {q} < {k}; {q}++) {{ {x} += {s}[({t} + {q}) % {n}]; }}")

    def do_sum(self, arrays: list[str], s: str) -> str:
        """Every thread, or the first one, adds up the shared array."""
        held, n, k, v = self.specs[s], self.t, self.fresh("k"), self.fresh("v")
        total = f"Sum({k} in 0..{n}, {held(k)})"
        add = f"float {v} = 0.0f; for (int {k} = 0; {k} < {n}; {k}++) {{ {v} += {s}[{k}]; }}"
        old = self.specs["d"]
        if self.r.random() < 0.5:
            self.specs["d"] = lambda j: total
            return self.threads(lambda t, x: f"{add} d[b][{t}] = {v};")
        self.specs["d"] = lambda j: f"({j} == 0 ? {total} : {old(j)})"
        return self.threads(lambda t, x: f"if ({t} == 0) {{ {add} d[b][{t}] = {v}; }}")

    def do_tree(self, arrays: list[str], s: str) -> str:
        if self.t & (self.t - 1):
            return self.do_write(arrays, s)
        held, h, k, old = self.specs[s], self.fresh("h"), self.fresh("k"), self.specs["d"]
        loop = self.threads(lambda t, x: f"if ({t} < {h}) {{ {s}[{t}] += {s}[{t} + {h}]; }}")
        sync = "      blocksync();\n" if self.careful or self.r.random() < 0.5 else ""
        self.specs["d"] = lambda j: f"({j} == 0 ? Sum({k} in 0..{self.t}, {held(k)}) : {old(j)})"
        after = self.threads(lambda t, x: f"if ({t} == 0) {{ d[b][{t}] = {s}[0]; }}")
        second_write = self.barrier() + self.do_write(arrays, s)
        return f"    for (int {h} = {self.t // 2}; {h} > 0; {h} >>= 1) {{\n{loop}{sync}    }}\n{after}{second_write}"

    def do_uniform(self, arrays: list[str], s: str) -> str:
        """What is the same for all threads of the block: loads, conditions and barriers under them."""
        self.exact = False
        v, c = self.fresh("v"), self.r.randrange(self.t)
        inner = self.do_write(arrays, s)
        test = self.r.choice(["b < m", "b == 0", f"{v} > 0.0f"])
        load = f"    const float {v} = {s}[{c}];\n" + self.barrier()
        return f"{load}    if ({test}) {{\n{inner}{self.barrier()}    }}\n"

    def do_loop(self, arrays: list[str], s: str) -> str:
        """Phases in a loop of the whole block."""
        q, times = self.fresh("q"), self.r.choice(["0", "1", "2", "3", "m"])
        inner = "".join(
            self.phase([a for a in arrays if a != "x"]) + self.barrier() for _ in range(self.r.randint(1, 2))
        )
        self.exact = False
        return f"    for (int {q} = 0; {q} < {times}; {q}++) {{\n{inner}    }}\n"

    def do_pipeline(self, arrays: list[str], s: str) -> str:
        """Write, barrier, read elsewhere, barrier, in a loop: both barriers are needed."""
        self.exact = False
        q, n, c = self.fresh("q"), self.t, self.r.randint(1, self.t - 1)
        write = self.threads(lambda t, x: f"{s}[{t}] = {x};")
        read = self.threads(lambda t, x: f"{x} += {s}[({t} + {c}) % {n}];")
        parts = [write, self.barrier(), read, self.barrier()]
        if self.r.random() < 0.3:
            parts = [parts[3], *parts[:3]]
        return f"    for (int {q} = 0; {q} < {self.r.choice(['2', '3', 'm'])}; {q}++) {{\n{''.join(parts)}    }}\n"

    def second_kernel(self) -> str:
        """Another kernel on the same array, with its threads numbered otherwise."""
        n, old = self.t, self.specs["d"]
        self.specs["d"] = lambda j: f"({old(j)} - 1)"
        if self.r.random() < 0.5:
            loops = f"thread for (int b = 0; b < G; b++) thread for (int t = 0; t < {n}; t++)"
            grid, block = "G", str(n)
        else:
            loops = f"thread for (int b = 0; b < G; b++) thread for (int t = 0; t < {n}; t++)"
            grid, block = f"G * {n}", "1"
        return f"""  kernel_launch({grid}, {block}, 0);
  kernel_setup_end();
  {loops} {{ d[b][t] -= 1.0f; }}
  kernel_teardown_begin();
  kernel_kill();
"""

    def flat_program(self) -> str:
        """A vector of any length, with a guard, host arrays and copies."""
        r, t = self.r, self.t
        grid = f"(n + {t - 1}) / {t}" if r.random() < 0.7 else f"n / {t}"
        guarded = grid.startswith("(")
        needs = "n >= 0" if guarded else f"n >= 0 && n % {t} == 0"
        i = f"b * {t} + t"
        value, spec = r.choice(
            [
                ("2.0f * d[I]", "2 * A(i)"),
                ("d[I] + 1.0f", "A(i) + 1"),
                ("d[n - 1 - (I)]", "A(n - 1 - i)"),
                (f"d[(I) / {t}]", f"A(i / {t})"),
            ]
        )
        store = f"e[{i}] = {value.replace('I', i)};"
        inner = f"if ({i} < n) {{ {store} }}" if guarded else store
        claim = f"a ~> Matrix1(n, fun i -> {spec})" if r.random() < 0.7 else "a ~> Cells1(n)"
        free = ["  gmem_free(d);\n", "  gmem_free(e);\n"]
        return f"""void f(int n, float a[n]) {{
  __requires("A: int -> float, {needs}");
  __consumes("a ~> Matrix1(n, A)");
  __produces("{claim}");
  float* const d = __gmem_malloc1<float>(n);
  float* const e = __gmem_malloc1<float>(n);
  memcpy_host_to_device1(d, a, n);
  kernel_launch({grid}, {t}, 0);
  kernel_setup_end();
  thread for (int b = 0; b < {grid}; b++) thread for (int t = 0; t < {t}; t++) {{ {inner} }}
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host1(a, e, n);
{"".join(free)}}}
"""
