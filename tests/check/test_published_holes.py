"""The holes of the published system (design, section 15): beside a right program, wrong ones that each of them would let through.

Two more are about scripts: checks switched off around final steps (test_scripts.py, `test_nothing_is_emitted_from_an_open_phase`),
and no comparison of the last contract with the first (`test_contract_of_the_original_must_stay`).
"""

from __future__ import annotations

import pytest

from tests.support.attempts import Attempt, function, kernel, put_to_the_checker

REVERSED = """    __shared__ float s[8];
    thread for (int t = 0; t < 8; t++) { s[t] = d[b][t]; }
    blocksync();
    thread for (int t = 0; t < 8; t++) { d[b][t] = s[7 - t]; }
    __syncthreads();
    thread for (int t = 0; t < 8; t++) { s[t] = 0.0f; }"""
TILES = function(
    "void f(int n, float a[n], float b[n])",
    '__requires("A: int -> float, n % 4 == 0");\n__reads("a ~> Matrix1(n, A)");\n__writes("b ~> Matrix1(n, A)");',
    "for (int t = 0; t < exact_div(n, 4); t++) for (int i = 0; i < 4; i++) b[4 * t + i] = a[4 * t + i];",
)
LAST = function(
    "int f(int n)",
    '__requires("n >= 0");\n__ensures("_Res == n");',
    "int last = 0;\nfor (int i = 0; i < n; i++) last = i + 1;\nreturn last;",
)
STRIDED = function(
    "int f(int n)",
    '__requires("n >= 0 && n % 2 == 0");\n__ensures("_Res == n");',
    "int last = 0;\nfor (int i = 0; i < n; i += 2) last = i + 2;\nreturn last;",
)
DIFFERENCES = function(
    "void f(int n, float a[n], float b[n])",
    '__requires("A: int -> float");\n__reads("a ~> Matrix1(n, A)");\n'
    '__writes("b ~> Matrix1(n, fun i -> i > 0 ? A(i) - A(i - 1) : 0)");',
    "#pragma omp parallel for\nfor (int i = 0; i < n; i++) {\n  if (i > 0) { b[i] = a[i] - a[i - 1]; } else { b[i] = 0.0f; }\n}",
)
FIRST = function(
    "float f(int n, float a[n])",
    '__requires("A: int -> float, n >= 1");\n__reads("for i in 0..n -> &a[i] ~~> A(i)");\n__ensures("_Res == A(0)");',
    "const float x = a[0];\nreturn x;",
)
REGISTER = """    float* const x = __treg_malloc0<float>();
    thread for (int t = 0; t < 8; t++) { x[DMINDEX1(8, t)] = 1.0f; }
    blocksync();
    thread for (int t = 0; t < 8; t++) { d[b][t] = x[DMINDEX1(8, t)]; }"""
COUNTS = function(
    "int f(int n)",
    '__requires("n >= 0");\n__ensures("_Res == n + 1");',
    "int x = n;\nx++;\nreturn x;",
)
SUM = function(
    "float f(int n, float a[n])",
    '__requires("A: int -> float");\n__reads("a ~> Matrix1(n, A)");\n__ensures("_Res == Sum(i in 0..n, A(i))");',
    "float s = 0.0f;\nfor (int i = 0; i < n; i++) s += a[i];\nreturn s;",
)
HOLES = [
    Attempt(
        "reads handed back at the end of a thread loop",
        kernel(REVERSED, "D(b, 7 - t)"),
        (("    __syncthreads();\n", ""),),
    ),
    Attempt("exact_div without divisibility", TILES, ((", n % 4 == 0", ""), (", n % 4 == 0", ", n % 2 == 0"))),
    Attempt("the end of an empty loop", LAST, (('__requires("n >= 0");\n', ""), ("int i = 0;", "int i = 1;"))),
    Attempt("the end of a strided loop", STRIDED, ((" && n % 2 == 0", ""), ("i += 2", "i += 4"))),
    Attempt(
        "parallel bodies that see what others write",
        DIFFERENCES,
        (("a[i] - a[i - 1]", "a[i] - b[i - 1]"), ("b[i] = 0.0f", "b[n - 1 - i] = 0.0f")),
    ),
    Attempt("one cell of an empty or reversed range", FIRST, ((", n >= 1", ""), ("n >= 1", "n >= 0"), ("n >= 1", "n <= 0"))),
    Attempt(
        "barriers that pass anything on",
        kernel(REGISTER, "1"),
        (("x[DMINDEX1(8, t)] = 1.0f;", ""), ("{ x[DMINDEX1(8, t)] = 1.0f; }", "{ if (t > 0) { x[DMINDEX1(8, t)] = 1.0f; } }")),
    ),
    Attempt(
        "values of x++ and --x",
        COUNTS,
        (("x++;\nreturn x", "return x++"), ("x++;\nreturn x", "const int y = x++;\nreturn y"), ("x++", "x--"), ("x++", "--x")),
    ),
    Attempt("values of reductions on trust", SUM, (("s = 0.0f", "s = 1.0f"), ("s += a[i]", "s = a[i]"), ("i = 0;", "i = 1;"))),
    Attempt(
        "shared memory by number of elements",
        kernel(REVERSED, "D(b, 7 - t)", shared=32),
        (("kernel_launch(G, 8, 32)", "kernel_launch(G, 8, 8)"), ("__shared__ float", "__shared__ double")),
    ),
    Attempt(
        "code of setup and teardown that is dropped",
        kernel("    thread for (int t = 0; t < 8; t++) { d[b][t] += 1.0f; }", "D(b, t) + 1"),
        (
            ("  kernel_setup_end();\n", "  d[0][0] = 5.0f;\n  kernel_setup_end();\n"),
            ("  kernel_kill();\n", "  d[0][0] = 5.0f;\n  kernel_kill();\n"),
        ),
    ),
]  # fmt: skip


@pytest.mark.parametrize("hole", HOLES, ids=lambda h: h.rule)
def test_hole(hole: Attempt) -> None:
    put_to_the_checker(hole)
