"""Programs of growing size: the work of the checker should be near-linear in what is written.

Each case is a function from a size to the text of a program that is right. `CASES` lists them with the sizes that the benchmark
`bench_growth.py` measures; `tests/check/test_growth.py` counts the checker's work on small sizes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GrowthCase:
    """`sizes` are measured; `named` is the size at which the checker must be near-linear."""

    name: str
    program: Callable[[int], str]
    sizes: tuple[int, ...]
    named: int


def lines(indent: int, texts: list[str]) -> str:
    return "".join(f"{' ' * indent}{text}\n" for text in texts)


# Cells and claims ------------------------------------------------------------------------------------------------------------


def cells_one_by_one(n: int) -> str:
    """Every cell of an array is written by a statement of its own."""
    body = lines(2, [f"a[{k}] = {k % 7}.0f;" for k in range(n)])
    return f'void f(float a[{n}]) {{\n  __writes("a ~> Cells1({n})");\n{body}}}\n'


def values_one_by_one(n: int) -> str:
    """As before, and the contract gives the values by a formula."""
    body = lines(2, [f"a[{k}] = {2 * k}.0f * x;" for k in range(n)])
    return f'void f(float x, float a[{n}]) {{\n  __writes("a ~> Matrix1({n}, fun i -> 2 * i * x)");\n{body}}}\n'


def single_claims(n: int) -> str:
    """The contract reads and writes single cells, each in a clause of its own."""
    reads = lines(2, [f'__reads("&a[{k}] ~~> A(2 * {k})");' for k in range(n)])
    writes = lines(2, [f'__writes("&c[{k}] ~~> 2 * A(2 * {k})");' for k in range(n)])
    body = lines(2, [f"c[{k}] = 2.0f * a[{k}];" for k in range(n)])
    return f'void f(float a[{n}], float c[{n}]) {{\n  __requires("A: int -> float");\n{reads}{writes}{body}}}\n'


def claims_of_a_family(n: int) -> str:
    """A loop writes an array, and the contract produces its cells one by one."""
    claims = lines(2, [f'__produces("&a[{k}] ~~> 1");' for k in range(n)])
    loop = f"  for (int i = 0; i < {n}; i++) a[i] = 1.0f;\n"
    return f'void f(float a[{n}]) {{\n  __consumes("a ~> Cells1({n})");\n{claims}{loop}}}\n'


def distinct_sizes(n: int) -> str:
    """Arrays with a size each, filled by a loop each."""
    sizes = ", ".join(f"int n{k}" for k in range(n))
    arrays = ", ".join(f"float a{k}[n{k}]" for k in range(n))
    writes = lines(2, [f'__writes("a{k} ~> Matrix1(n{k}, fun i -> {k})");' for k in range(n)])
    loops = lines(2, [f"for (int i = 0; i < n{k}; i++) a{k}[i] = {k}.0f;" for k in range(n)])
    return f"void f({sizes}, {arrays}) {{\n{writes}{loops}}}\n"


# Unrolled loops --------------------------------------------------------------------------------------------------------------


def unrolled_copy(n: int) -> str:
    """A loop that scales an array, unrolled n times."""
    body = lines(4, [f"c[{n} * b + {k}] = 2.0f * a[{n} * b + {k}];" for k in range(n)])
    return f"""void f(int m, float a[m * {n}], float c[m * {n}]) {{
  __requires("A: int -> float");
  __reads("a ~> Matrix1(m * {n}, A)");
  __writes("c ~> Matrix1(m * {n}, fun i -> 2 * A(i))");
  for (int b = 0; b < m; b++) {{
{body}  }}
}}
"""


def unrolled_sum(n: int) -> str:
    """A loop that adds up an array, unrolled n times."""
    body = lines(4, [f"s += a[{n} * b + {k}];" for k in range(n)])
    return f"""float f(int m, float a[m * {n}]) {{
  __requires("A: int -> float");
  __reads("a ~> Matrix1(m * {n}, A)");
  __ensures("_Res == Sum(i in 0..m * {n}, A(i))");
  float s = 0.0f;
  for (int b = 0; b < m; b++) {{
{body}  }}
  return s;
}}
"""


# Choices, maxima -------------------------------------------------------------------------------------------------------------


def _filled(formula: str, body: str, kind: str = "float") -> str:
    """A loop over the cells of c, which get the values of a formula."""
    return f"""void f(int n, {kind} c[n]) {{
  __writes("c ~> Matrix1(n, fun i -> {formula})");
  for (int i = 0; i < n; i++) {{
{body}  }}
}}
"""


def choices(n: int) -> str:
    """A variable that n conditions change one after the other."""
    steps = [f"if (i % {k + 2} == 0) x = x + {k + 1}.0f;" for k in range(n)]
    formula = " + ".join(f"(i % {k + 2} == 0 ? {k + 1} : 0)" for k in range(n))
    return _filled(formula, lines(4, ["float x = 0.0f;", *steps, "c[i] = x;"]))


def guarded_maxima(n: int) -> str:
    """The maximum of an n-dimensional array up to a bound in each dimension: n loops, each with a guard."""
    index = [f"i{k}" for k in range(n)]
    bounds = ", ".join(f"int b{k}" for k in range(n))
    ranges = ", ".join(f"{i} in 0..m" for i in index)
    guard = " && ".join(f"i{k} < b{k}" for k in range(n))
    loops = [" " * (2 * k + 2) + f"for (int i{k} = 0; i{k} < m; i{k}++) if (i{k} < b{k})" for k in range(n)]
    cell = "".join(f"[{i}]" for i in index)
    return f"""float f(int m, {bounds}, float a{"[m]" * n}) {{
  __requires("A: {" * ".join(["int"] * n)} -> float, m > 0");
  __reads("a ~> Matrix{n}({", ".join(["m"] * n)}, A)");
  __ensures("_Res == max(0, Max({ranges}, {guard} ? A({", ".join(index)}) : 0))");
  float best = 0.0f;
{lines(0, loops)}{" " * (2 * n + 2)}best = fmaxf(best, a{cell});
  return best;
}}
"""


def padded_pooling(n: int) -> str:
    """Pooling in n dimensions: the maximum of a window of three cells in each, with a guard for the padding."""
    index = [f"i{k}" for k in range(n)]
    ranges = ", ".join(f"j{k} in 0..3" for k in range(n))
    guards = [f"i{k} + j{k} >= 1 && i{k} + j{k} - 1 < m" for k in range(n)]
    source = ", ".join(f"i{k} + j{k} - 1" for k in range(n))
    sizes = ", ".join(["m"] * n)
    outer = lines(2, [f"for (int {i} = 0; {i} < m; {i}++)" for i in index])
    inner = lines(4, [f"for (int j{k} = 0; j{k} < 3; j{k}++) if ({guards[k]})" for k in range(n)])
    read = "".join(f"[i{k} + j{k} - 1]" for k in range(n))
    return f"""void f(int m, float a{"[m]" * n}, float c{"[m]" * n}) {{
  __requires("A: {" * ".join(["int"] * n)} -> float");
  __reads("a ~> Matrix{n}({sizes}, A)");
  __writes("c ~> Matrix{n}({sizes}, fun {" ".join(index)} -> max(0, Max({ranges}, {" && ".join(guards)} ? A({source}) : 0)))");
{outer}  {{
    float best = 0.0f;
{inner}      best = fmaxf(best, a{read});
    c{"".join(f"[{i}]" for i in index)} = best;
  }}
}}
"""


def tree_of_maxima(n: int) -> str:
    """A tree in shared memory over the maximum of n sums, one a thread. n is a power of two."""
    return f"""#include <optigpu.h>
void f(int B, int p, float h[B][{n}][p], float r[B]) {{
  __requires("A: int * int * int -> float, B >= 0, p >= 0");
  __reads("h ~> Matrix3(B, {n}, p, A)");
  __writes("r ~> Matrix1(B, fun b -> Max(t in 0..{n}, Sum(k in 0..p, A(b, t, k))))");
  float* const d = __gmem_malloc3<float>(B, {n}, p);
  float* const e = __gmem_malloc1<float>(B);
  memcpy_host_to_device3(d, h, B, {n}, p);
  kernel_launch(B, {n}, {4 * n});
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {{
    __shared__ float s[{n}];
    thread for (int t = 0; t < {n}; t++) {{
      float total = 0.0f;
      for (int k = 0; k < p; k++) total += d[b][t][k];
      s[t] = total;
    }}
    for (int half = {n // 2}; half > 0; half >>= 1) {{
      blocksync();
      thread for (int t = 0; t < {n}; t++)
        if (t < half) s[t] = fmaxf(s[t], s[t + half]);
    }}
    thread for (int t = 0; t < {n}; t++)
      if (t == 0) e[b] = s[0];
  }}
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host1(r, e, B);
  gmem_free(e);
  gmem_free(d);
}}
"""


# Quotients and remainders ----------------------------------------------------------------------------------------------------


def quotients_in_turn(n: int) -> str:
    """n quotients and remainders in turn, each of the one before."""
    steps, formula = ["int x0 = i;"], "i"
    for k in range(n):
        operation = f"/ {2 + k % 3}" if k % 2 == 0 else f"% {1000 - k}"
        steps.append(f"int x{k + 1} = x{k} {operation};")
        formula = f"({formula} {operation})"
    return _filled(formula, lines(4, [*steps, f"c[i] = x{n};"]), "int")


def digits(n: int) -> str:
    """The sum of the n last digits in base 3."""
    steps = [f"int x{k + 1} = x{k} / 3;" for k in range(n)]
    total = " + ".join(f"x{k} % 3" for k in range(n))
    formula = " + ".join(f"i / {3**k} % 3" for k in range(n))
    return _filled(formula, lines(4, ["int x0 = i;", *steps, f"c[i] = {total};"]), "int")


def conditions_on_digits(n: int) -> str:
    """The last of n conditions on digits that holds decides the value."""
    steps, formula = ["int x0 = i;", "int s = 0;"], "0"
    for k in range(n):
        steps += [f"int x{k + 1} = x{k} / 3;", f"if (x{k} % 3 == 1) s = {k + 1};"]
        formula = f"(i / {3**k} % 3 == 1 ? {k + 1} : {formula})"
    return _filled(formula, lines(4, [*steps, "c[i] = s;"]), "int")


def sums_of_digit_conditions(n: int) -> str:
    """Each of n conditions on digits adds to the value."""
    steps = ["int x0 = i;", "int s = 0;"]
    for k in range(n):
        steps += [f"int x{k + 1} = x{k} / 3;", f"if (x{k} % 3 == 1) s = s + {k + 1};"]
    formula = " + ".join(f"(i / {3**k} % 3 == 1 ? {k + 1} : 0)" for k in range(n))
    return _filled(formula, lines(4, [*steps, "c[i] = s;"]), "int")


def transposed_convolution(n: int) -> str:
    """A transposed convolution with stride 2 in n dimensions: guards with / and % say which inputs reach a cell."""
    index = [f"i{k}" for k in range(n)]
    ranges = ", ".join(f"j{k} in 0..3" for k in range(n))
    guards = [f"i{k} >= j{k} && (i{k} - j{k}) % 2 == 0 && (i{k} - j{k}) / 2 < m" for k in range(n)]
    value = f"A({', '.join(f'(i{k} - j{k}) / 2' for k in range(n))}) * W({', '.join(f'j{k}' for k in range(n))})"
    sizes, sizes_out, sizes_w = (", ".join([size] * n) for size in ("m", "2 * m + 1", "3"))
    functions = " * ".join(["int"] * n)
    outer = lines(2, [f"for (int {i} = 0; {i} < 2 * m + 1; {i}++)" for i in index])
    inner = lines(4, [f"for (int j{k} = 0; j{k} < 3; j{k}++) if ({guards[k]})" for k in range(n)])
    read = "".join(f"[(i{k} - j{k}) / 2]" for k in range(n))
    weight = "".join(f"[j{k}]" for k in range(n))
    return f"""void f(int m, float a{"[m]" * n}, float w{"[3]" * n}, float c{"[2 * m + 1]" * n}) {{
  __requires("A: {functions} -> float, W: {functions} -> float, m >= 0");
  __reads("a ~> Matrix{n}({sizes}, A), w ~> Matrix{n}({sizes_w}, W)");
  __writes("c ~> Matrix{n}({sizes_out}, fun {" ".join(index)} -> Sum({ranges}, {" && ".join(guards)} ? {value} : 0))");
{outer}  {{
    float s = 0.0f;
{inner}      s += a{read} * w{weight};
    c{"".join(f"[{i}]" for i in index)} = s;
  }}
}}
"""


# What is linear today --------------------------------------------------------------------------------------------------------


def statements(n: int) -> str:
    """n loops over one array."""
    loops = lines(2, [f"for (int i = 0; i < n; i++) a[i] = a[i] + {k % 5 + 1}.0f;" for k in range(n)])
    total = sum(k % 5 + 1 for k in range(n))
    return f"""void f(int n, float a[n]) {{
  __requires("A: int -> float");
  __consumes("a ~> Matrix1(n, A)");
  __produces("a ~> Matrix1(n, fun i -> A(i) + {total})");
{loops}}}
"""


def functions(n: int) -> str:
    """n functions, each of which calls the one before."""
    first = """void f0(int n, float a[n]) {
  __requires("A: int -> float");
  __consumes("a ~> Matrix1(n, A)");
  __produces("a ~> Matrix1(n, fun i -> 2 * A(i))");
  for (int i = 0; i < n; i++) a[i] = 2.0f * a[i];
}
"""
    calls = [
        first.replace("f0", f"f{k}").replace("for (int i = 0; i < n; i++) a[i] = 2.0f * a[i]", f"f{k - 1}(n, a)")
        for k in range(1, n)
    ]
    return first + "".join(calls)


def arrays(n: int) -> str:
    """n arrays of one size, added up in one loop."""
    parameters = ", ".join(f"float a{k}[n]" for k in range(n))
    reads = lines(2, [f'__reads("a{k} ~> Matrix1(n, A{k})");' for k in range(n)])
    names = ", ".join(f"A{k}: int -> float" for k in range(n))
    total, formula = (" + ".join(f"{a}{k}{i}" for k in range(n)) for a, i in (("a", "[i]"), ("A", "(i)")))
    return f"""void f(int n, {parameters}, float c[n]) {{
  __requires("{names}");
{reads}  __writes("c ~> Matrix1(n, fun i -> {formula})");
  for (int i = 0; i < n; i++) c[i] = {total};
}}
"""


def _kernel(before: str, threads: int, body: str, formula: str) -> str:
    return f"""#include <optigpu.h>
void f(int B, float h[B][{threads}]) {{
  __requires("A: int * int -> float, B >= 0");
  __consumes("h ~> Matrix2(B, {threads}, A)");
  __produces("h ~> Matrix2(B, {threads}, fun b t -> {formula})");
  float* const d = __gmem_malloc2<float>(B, {threads});
  memcpy_host_to_device2(d, h, B, {threads});
  kernel_launch(B, {threads}, {4 * threads});
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {{
    __shared__ float s[{threads}];
{before}{body}    blocksync();
    thread for (int t = 0; t < {threads}; t++) d[b][t] = s[0];
  }}
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(h, d, B, {threads});
  gmem_free(d);
}}
"""


def phases(n: int) -> str:
    """A kernel whose threads meet at n barriers."""
    phase = """    thread for (int t = 0; t < 64; t++) s[t] = s[t] + 1.0f;
    blocksync();
"""
    before = "    thread for (int t = 0; t < 64; t++) s[t] = d[b][t];\n    blocksync();\n"
    return _kernel(before, 64, phase * n, f"A(b, 0) + {n}")


def tree_depth(n: int) -> str:
    """A tree of n steps over 2^n sums in shared memory."""
    threads = 2**n
    before = f"    thread for (int t = 0; t < {threads}; t++) s[t] = d[b][t];\n"
    body = f"""    for (int half = {threads // 2}; half > 0; half >>= 1) {{
      blocksync();
      thread for (int t = 0; t < {threads}; t++)
        if (t < half) s[t] = s[t] + s[t + half];
    }}
"""
    return _kernel(before, threads, body, f"Sum(k in 0..{threads}, A(b, k))")


CASES = (
    GrowthCase("cells one by one", cells_one_by_one, (16, 32, 64, 128, 256), 128),
    GrowthCase("values one by one", values_one_by_one, (16, 32, 64, 128, 256), 128),
    GrowthCase("single claims", single_claims, (50, 100, 200, 400), 200),
    GrowthCase("claims of a family", claims_of_a_family, (25, 50, 100, 200, 400), 200),
    GrowthCase("distinct sizes", distinct_sizes, (16, 32, 64, 128), 64),
    GrowthCase("unrolled copy", unrolled_copy, (4, 8, 16, 32, 64), 32),
    GrowthCase("unrolled sum", unrolled_sum, (4, 8, 16, 32, 64), 32),
    GrowthCase("choices", choices, (2, 4, 6, 8, 16), 8),
    GrowthCase("guarded maxima", guarded_maxima, (1, 2, 3, 4, 6), 4),
    GrowthCase("padded pooling", padded_pooling, (1, 2, 3), 3),
    GrowthCase("tree of maxima", tree_of_maxima, (16, 64, 256, 512, 1024), 512),
    GrowthCase("quotients in turn", quotients_in_turn, (4, 6, 8, 12, 20, 40), 20),
    GrowthCase("digits", digits, (3, 6, 12, 19), 12),
    GrowthCase("conditions on digits", conditions_on_digits, (2, 4, 6, 12, 19), 12),
    GrowthCase("sums of digit conditions", sums_of_digit_conditions, (2, 3, 4, 6, 12), 6),
    GrowthCase("transposed convolution", transposed_convolution, (1, 2, 3), 2),
    GrowthCase("statements", statements, (4, 8, 16, 32), 32),
    GrowthCase("functions", functions, (4, 8, 16, 32), 32),
    GrowthCase("arrays", arrays, (4, 8, 16, 32), 32),
    GrowthCase("phases", phases, (2, 4, 8, 16), 16),
    GrowthCase("tree depth", tree_depth, (4, 6, 8, 10), 10),
)
