# ruff: noqa: E501 (programs)
"""Each rule of docs/logic.md, read for what could be wrong with it: a program that verifies, and a wrong one that must not.

The wrong one is what the rule would let through if it were a little more generous.
"""

from __future__ import annotations

import pytest

from optigpu.check.verify import Settings, Verifier
from optigpu.frontend import parse_text
from tests.support.attempts import Attempt, function, kernel, put_to_the_checker

ADD = """void add_to(int k, float x[k], float y[k]) {
  __requires("X: int -> float, Y: int -> float");
  __consumes("x ~> Matrix1(k, X)");
  __reads("y ~> Matrix1(k, Y)");
  __produces("x ~> Matrix1(k, fun i -> X(i) + Y(i))");
  for (int i = 0; i < k; i++) x[i] += y[i];
}
"""
PUT = """__device__ void put(float p[1]) {
  __writes("&p[0] ~~>[GMem] 7");
  p[0] = 7.0f;
}
"""
TWO_SHARED = "    __shared__ float s[8];\n    thread for (int t = 0; t < 8; t++) { s[t] = d[b][t]; }\n"

ATTEMPTS = [
    Attempt(
        "take: parts of one array",
        ADD
        + """void f(int n, int m, float a[n]) {
  __requires("m >= 1 && 2 * m <= n");
  __preserves("a ~> Cells1(n)");
  add_to(m, a, &a[m]);
}
""",
        (
            ("add_to(m, a, &a[m])", "add_to(m, a, &a[m - 1])"),
            ("add_to(m, a, &a[m])", "add_to(m, &a[1], &a[m])"),
            ("add_to(m, a, &a[m])", "add_to(m, a, a)"),
            ("add_to(m, a, &a[m])", "add_to(m, a, &a[n - m + 1])"),
            ("2 * m <= n", "2 * m <= n + 1"),
        ),
    ),
    Attempt(
        "take: rows and columns",
        ADD
        + """void f(int n, float a[n][n]) {
  __requires("n >= 2");
  __preserves("a ~> Cells2(n, n)");
  add_to(n, a[0], a[1]);
}
""",
        (
            ("add_to(n, a[0], a[1])", "add_to(n, a[0], a[0])"),
            ("add_to(n, a[0], a[1])", "add_to(n, a[0], &a[0][1])"),
            ("add_to(n, a[0], a[1])", "add_to(n + 1, a[0], a[1])"),
            ("add_to(n, a[0], a[1])", "add_to(n, a[0], a[n])"),
        ),
    ),
    Attempt(
        "begin: claims that overlap",
        function(
            "void f(int n, int m, float a[n])",
            '  __requires("0 <= m && m <= n");\n'
            '  __preserves("for i in 0..m -> &a[i] ~> Cell");\n  __preserves("for i in m..n -> &a[i] ~> Cell");',
            "  for (int i = 0; i < m; i++) { a[i] = 1.0f; }\n  for (int i = m; i < n; i++) { a[i] = 2.0f; }",
        ),
        (
            ("for i in m..n", "for i in m - 1..n"),
            ("for i in m..n -> &a[i] ~> Cell", "for i in m..n -> &a[i - 1] ~> Cell"),
            ("for i in m..n -> &a[i] ~> Cell", "for i in m..n -> &a[m] ~> Cell"),
            ("m <= n", "m <= n + 1"),
        ),
    ),
    Attempt(
        "finish: what is given back",
        function(
            "void f(int n, float a[n], float b[n])",
            '  __requires("A: int -> float, n >= 1");\n  __reads("a ~> Matrix1(n, A)");\n  __writes("b ~> Matrix1(n, A)");',
            "  for (int i = 0; i < n; i++) b[i] = a[i];",
        ),
        (
            ("i < n", "i < n - 1"),
            ("int i = 0", "int i = 1"),
            ('__writes("b ~> Matrix1(n, A)")', '__consumes("b ~> UninitMatrix1(n)")'),
            ('__reads("a ~> Matrix1(n, A)")', '__consumes("a ~> Matrix1(n, A)")'),
            ("b[i] = a[i];", "{ if (i < n - 1) return; b[i] = a[i]; }"),
        ),
    ),
    Attempt(
        "early ends",
        function(
            "void f(int n, float a[n])",
            '  __requires("A: int -> float");\n  __consumes("a ~> Matrix1(n, A)");\n'
            '  __produces("a ~> Matrix1(n, fun i -> n <= 3 ? A(i) : i < 2 ? A(i) : 0)");',
            "  if (n <= 3) return;\n  for (int i = 0; i < n; i++) { if (i < 2) continue; a[i] = 0.0f; }",
        ),
        (
            ("if (n <= 3) return;", "if (n <= 4) return;"),
            ("if (i < 2) continue;", "if (i < 1) continue;"),
            ("if (i < 2) continue;", "if (i <= 2) continue;"),
            ("if (n <= 3) return;", ""),
        ),
    ),
    Attempt(
        "load and store: written before read",
        function(
            "float f(int n, float a[n])",
            '  __requires("A: int -> float, n > 0");\n  __reads("a ~> Matrix1(n, A)");\n  __ensures("_Res == A(0)");',
            "  float t[4];\n  t[1] = a[0];\n  float s;\n  s = t[1];\n  return s;",
        ),
        (("s = t[1]", "s = t[2]"), ("s = t[1];", ";"), ("t[1] = a[0]", "t[4] = a[0]"), ("float t[4]", "float t[1]")),
    ),
    Attempt(
        "allocate and free under conditions",
        function(
            "void f(int n, int m)",
            '  __requires("n >= 0");',
            "  float* const p = MALLOC1(float, n);\n  if (m > 0) { float* const q = MALLOC1(float, m); free(q); }\n  free(p);",
        ),
        (
            ("free(q); }", "}"),
            ("  free(p);", "  if (m > 0) { free(p); }"),
            ("  free(p);", "  if (n > 0) { free(p); }"),
            ("free(q); }", "free(q); free(p); }"),
            ("  free(p);", "  free(p); free(p);"),
            ("m > 0", "m > -2"),
            ('"n >= 0"', '"n >= -1"'),
        ),
    ),
    Attempt(
        "oblige: divisions and truncation",
        function(
            "int f(int n, int m)",
            '  __requires("m != 0");\n  __ensures("n >= 0 || m <= 0 || _Res * m >= n");\n  __ensures("(n % m) + _Res * m == n");',
            "  return n / m;",
        ),
        (
            ("m != 0", "m > -1"),
            ("_Res * m >= n", "_Res * m <= n - 1"),
            ("n >= 0 || m <= 0 ||", "m <= 0 ||"),
            ("n / m", "(n - m + 1) / m"),
        ),
    ),
    Attempt(
        "oblige: remainders have the sign of the dividend",
        function("int f(int n)", '  __requires("n <= 0");\n  __ensures("_Res <= 0 && _Res > -4");', "  return n % 4;"),
        (("_Res <= 0", "_Res >= 0"), ("_Res > -4", "_Res > -3"), ("n <= 0", "n <= 1")),
    ),
    Attempt(
        "oblige: exact divisions and shifts",
        function(
            "int f(int n, int k)",
            '  __requires("n % 4 == 0 && k >= 0 && k < 8");\n  __ensures("4 * _Res == n + 4 * (1 << k)");',
            "  return exact_div(n, 4) + (1 << k);",
        ),
        (("n % 4 == 0", "n % 2 == 0"), ("k >= 0 &&", ""), ("4 * _Res == n", "_Res == n")),
    ),
    Attempt(
        "assertion",
        function(
            "int f(int n)",
            '  __requires("n > 2");\n  __ensures("_Res > 4");',
            '  __ASSERT("2 * n > 5");\n  return 2 * n;',
        ),
        (("2 * n > 5", "2 * n > 6"), ("_Res > 4", "_Res > 6"), ("n > 2", "n > 1")),
    ),
    Attempt(
        "branches: contents are those of the branch taken",
        function(
            "void f(int n, int m, float a[n])",
            '  __requires("A: int -> float, n > 0");\n  __consumes("a ~> Matrix1(n, A)");\n'
            '  __produces("a ~> Matrix1(n, fun i -> i == 0 ? (m > 0 ? 1 : 2) : A(i))");',
            "  if (m > 0) { a[0] = 1.0f; } else { a[0] = 2.0f; }",
        ),
        (
            ("m > 0 ? 1", "m >= 0 ? 1"),
            ("else { a[0] = 2.0f; }", ""),
            ("if (m > 0)", "if (m < 0)"),
            ("a[0] = 2.0f", "a[n - 1] = 2.0f"),
        ),
    ),
    Attempt(
        "loops: an empty range leaves things as they were",
        function(
            "int f(int n)",
            '  __requires("n >= 0");\n  __ensures("_Res == n");',
            "  int c = 0;\n  for (int i = 0; i < n; i++) { c += 1; }\n  return c;",
        ),
        (("n >= 0", "n >= -1"), ("int c = 0", "int c = 1"), ("i < n", "i <= n"), ("c += 1", "c += i")),
    ),
    Attempt(
        "loops: strides and directions",
        function(
            "void f(int n, float a[n])",
            '  __requires("n >= 0");\n  __writes("a ~> Matrix1(n, fun i -> i % 2)");',
            "  for (int i = n - 1; i >= 0; i -= 2) { a[i] = i % 2; }\n  for (int i = n - 2; i >= 0; i -= 2) { a[i] = i % 2; }",
        ),
        (
            ("i >= 0; i -= 2) { a[i] = i % 2; }\n  for", "i > 0; i -= 2) { a[i] = i % 2; }\n  for"),
            ("n - 2; i", "n - 3; i"),
            ("n - 1; i", "n; i"),
        ),
    ),
    Attempt(
        "loops: the last iteration's scratch is not the first's",
        function(
            "float f(int n, float a[n])",
            '  __requires("A: int -> float, n >= 1");\n  __reads("a ~> Matrix1(n, A)");\n  __ensures("_Res == A(n - 1)");',
            "  float t = 0.0f;\n  for (int i = 0; i < n; i++) { t = a[i]; }\n  return t;",
        ),
        (("n >= 1", "n >= 0"), ("A(n - 1)", "A(0)"), ("t = a[i]", "t += a[i]")),
    ),
    Attempt(
        "parallel loops: nothing is shared but what is read",
        function(
            "void f(int n, float a[n], float b[n])",
            '  __requires("A: int -> float");\n  __reads("a ~> Matrix1(n, A)");\n  __writes("b ~> Matrix1(n, fun i -> A(n - 1 - i))");',
            "  #pragma omp parallel for\n  for (int i = 0; i < n; i++) { float t = a[n - 1 - i]; b[i] = t; }",
        ),
        (
            ("b[i] = t", "b[i] = t; b[0] = a[n - 1]"),
            (
                "float t = a[n - 1 - i]; b[i] = t;",
                "b[i] = a[n - 1 - i]; if (i > 0) { b[i] = b[i] + b[i - 1] - b[i - 1]; }",
            ),
            ("b[i] = t", "b[n - 1 - i] = t"),
        ),
    ),
    Attempt(
        "loops: what their contracts say of memory, needed or not",
        function(
            "void f(int n, float a[n], float c[n])",
            '__requires("A: int -> float");\n__reads("a ~> Matrix1(n, A)");\n__writes("c ~> Matrix1(n, fun i -> A(i) + i)");',
            """for (int i = 0; i < n; i++) {
    __xwrites("&c[i] ~~> A(i) + i");
    __xreads("&a[i] ~~> A(i)");
    __sreads("for j in 0..n -> &a[j] ~~> A(j)");
    c[i] = a[i] + i;
  }""",
        ),
        (
            ("&a[i] ~~> A(i)", "&a[i] ~~> A(i) - 1"),
            ("&a[i] ~~> A(i)", "&a[i] ~~> A(i - 1)"),
            ("&a[i] ~~> A(i)", "&a[i + 1] ~~> A(i)"),
            ("&a[i] ~~> A(i)", "&c[i] ~~> A(i)"),
            ("&a[j] ~~> A(j)", "&a[j] ~~> A(i)"),
            ("for j in 0..n", "for j in 0..n + 1"),
            ("&c[i] ~~> A(i) + i", "&c[i] ~~> A(i)"),
        ),
    ),
    Attempt(
        "unroll: geometric loops",
        function(
            "int f(int n)",
            '  __ensures("_Res == n + 15");',
            "  int c = n;\n  for (int s = 8; s > 0; s >>= 1) { c += s; }\n  return c;",
        ),
        (("n + 15", "n + 16"), ("s > 0", "s > 1"), ("int s = 8", "int s = 9"), ("s >>= 1", "s >>= 2")),
    ),
    Attempt(
        "call: a postcondition is that of the function called",
        ADD
        + """void f(int n, float a[n], float b[n]) {
  __requires("A: int -> float, B: int -> float");
  __consumes("a ~> Matrix1(n, A)");
  __reads("b ~> Matrix1(n, B)");
  __produces("a ~> Matrix1(n, fun i -> A(i) + 2 * B(i))");
  add_to(n, a, b);
  add_to(n, a, b);
}
""",
        (
            ("A(i) + 2 * B(i)", "A(i) + B(i)"),
            ("add_to(n, a, b);\n}", "add_to(n, b, a);\n}"),
            ("add_to(n, a, b);\n}", "add_to(n - 1, a, b);\n}"),
            ("x[i] += y[i]", "x[i] = y[i]"),
            ("fun i -> X(i) + Y(i)", "fun i -> X(i) + 2 * Y(i)"),
        ),
    ),
    Attempt(
        "values: sums over ranges",
        function(
            "float f(int n, int m, float a[n])",
            '  __requires("A: int -> float, 0 <= m && m <= n");\n  __reads("a ~> Matrix1(n, A)");\n  __ensures("_Res == Sum(k in 0..n, A(k))");',
            "  float s = 0.0f;\n  for (int i = m; i < n; i++) { s += a[i]; }\n  for (int i = m - 1; i >= 0; i--) { s += a[i]; }\n  return s;",
        ),
        (
            ("int i = m;", "int i = m - 1;"),
            ("m <= n", "m <= n + 1"),
            ("0 <= m &&", ""),
            ("Sum(k in 0..n", "Sum(k in 1..n"),
            ("i >= 0", "i > 0"),
        ),
    ),
    Attempt(
        "values: maxima start somewhere",
        function(
            "float f(int n, float a[n])",
            '  __requires("A: int -> float, n > 0");\n  __reads("a ~> Matrix1(n, A)");\n  __ensures("_Res == Max(k in 0..n, A(k))");',
            "  float s = a[0];\n  for (int i = 1; i < n; i++) { s = fmaxf(s, a[i]); }\n  return s;",
        ),
        (
            ("float s = a[0]", "float s = 0.0f"),
            ("int i = 1", "int i = 2"),
            ("Max(k in 0..n", "Max(k in 0..n + 1"),
            ("fmaxf", "fminf"),
        ),
    ),
    Attempt(
        "casts: reals to integers truncate",
        function("int f(int n)", '  __ensures("_Res == n");', "  return (int)((float)n);"),
        (("(float)n)", "(float)n + 0.5f)"), ("_Res == n", "_Res == n + 1"), ("(float)n)", "(float)n / 2.0f)")),
    ),
    # Threads
    Attempt(
        "thread loop: each thread its own cell",
        kernel("    thread for (int t = 0; t < 8; t++) { d[b][t] += 1.0f; }", "D(b, t) + 1"),
        (
            ("d[b][t] += 1.0f", "d[b][t / 2] += 1.0f"),
            ("d[b][t] += 1.0f", "d[b][7 - t] = d[b][t] + 1.0f"),
            ("d[b][t] += 1.0f", "d[0][t] += 1.0f"),
            ("int t = 0; t < 8", "int t = 0; t < 4"),
            ("int t = 0; t < 8", "int t = 1; t < 8"),
            ("thread for (int t", "for (int t"),
        ),
    ),
    Attempt(
        "thread loop: an empty grid writes nothing",
        """void f(int G, float d[8]) {
  __requires("G == 1");
  __consumes("d ~> UninitMatrix1Of(8, GMem)");
  __produces("d ~> Matrix1Of(8, GMem, fun t -> 1)");
  kernel_launch(G, 8, 0);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) thread for (int t = 0; t < 8; t++) { d[t] = 1.0f; }
  kernel_teardown_begin();
  kernel_kill();
}
""",
        (
            ("G == 1", "G >= 0 && G <= 1"),
            ("G == 1", "G >= 1 && G <= 2"),
            ("kernel_launch(G, 8, 0)", "kernel_launch(0, 8, 0)"),
        ),
    ),
    Attempt(
        "barrier: what others wrote",
        kernel(
            TWO_SHARED + "    blocksync();\n    thread for (int t = 0; t < 8; t++) { d[b][t] = s[7 - t]; }",
            "D(b, 7 - t)",
        ),
        (
            ("    blocksync();\n", ""),
            ("    blocksync();\n", "    if (b == 0) { blocksync(); }\n"),
            ("    blocksync();\n", "    for (int q = 0; q < b; q++) { blocksync(); }\n"),
            ("    blocksync();\n", "    thread for (int t = 0; t < 8; t++) { blocksync(); }\n"),
            ("    blocksync();\n", "    thread for (int t = 0; t < 2; t++) { blocksync(); }\n"),
            ("    blocksync();\n", "    warpsync();\n"),
        ),
    ),
    Attempt(
        "marks: reads are lent until a barrier, across loops too",
        kernel(
            TWO_SHARED
            + """    blocksync();
    float* const x = __treg_malloc0<float>();
    thread for (int t = 0; t < 8; t++) { x[DMINDEX1(8, t)] = 0.0f; }
    for (int q = 0; q < 2; q++) {
      thread for (int t = 0; t < 8; t++) { x[DMINDEX1(8, t)] += s[7 - t]; }
    }
    __syncthreads();
    thread for (int t = 0; t < 8; t++) { s[t] = 1.0f; d[b][t] = x[DMINDEX1(8, t)]; }""",
            "2 * D(b, 7 - t)",
        ),
        (
            ("    __syncthreads();\n", ""),
            ("    blocksync();\n", ""),
            ("    __syncthreads();\n", "    if (b > 0) { __syncthreads(); }\n"),
        ),
    ),
    Attempt(
        "marks: what the whole block reads",
        kernel(
            TWO_SHARED
            + """    blocksync();
    const float c = s[3];
    __syncthreads();
    thread for (int t = 0; t < 8; t++) { s[t] = 0.0f; d[b][t] = c; }""",
            "D(b, 3)",
        ),
        (("    __syncthreads();\n", ""), ("    blocksync();\n", "")),
    ),
    Attempt(
        "registers: nobody sees another's, barriers or not",
        kernel(
            """    float* const x = __treg_malloc0<float>();
    thread for (int t = 0; t < 8; t++) { x[DMINDEX1(8, t)] = d[b][t]; }
    blocksync();
    thread for (int t = 0; t < 8; t++) { d[b][t] = 2.0f * x[DMINDEX1(8, t)]; }""",
            "2 * D(b, t)",
        ),
        (
            ("2.0f * x[DMINDEX1(8, t)]", "2.0f * x[DMINDEX1(8, 7 - t)]"),
            ("2.0f * x[DMINDEX1(8, t)]", "2.0f * x[DMINDEX1(8, 0)]"),
            ("x[DMINDEX1(8, t)] = d[b][t]", "x[DMINDEX1(8, (t + 1) % 8)] = d[b][t]"),
        ),
    ),
    Attempt(
        "registers: regrouped threads are the same threads",
        kernel(
            """    float* const x = __treg_malloc0<float>();
    thread for (int t = 0; t < 8; t++) { x[DMINDEX1(8, t)] = d[b][t]; }
    thread for (int i = 0; i < 2; i++) thread for (int j = 0; j < 4; j++) { d[b][4 * i + j] = x[DMINDEX2(2, 4, i, j)] + 1.0f; }""",
            "D(b, t) + 1",
        ),
        (
            ("d[b][4 * i + j] = x", "d[b][2 * j + i] = x"),
            ("x[DMINDEX2(2, 4, i, j)]", "x[DMINDEX2(4, 2, j, i)]"),
            ("int i = 0; i < 2", "int i = 0; i < 4"),
        ),
    ),
    Attempt(
        "sequential loops of a block: both barriers of a pipeline",
        kernel(
            """    __shared__ float s[8];
    float* const x = __treg_malloc0<float>();
    thread for (int t = 0; t < 8; t++) { x[DMINDEX1(8, t)] = d[b][t]; }
    for (int q = 0; q < 4; q++) {
      thread for (int t = 0; t < 8; t++) { s[t] = x[DMINDEX1(8, t)]; }
      blocksync();
      thread for (int t = 0; t < 8; t++) { x[DMINDEX1(8, t)] = s[(t + 1) % 8]; }
      __syncthreads();
    }
    thread for (int t = 0; t < 8; t++) { d[b][t] = 0.0f; }""",
            "0",
        ),
        (
            ("      __syncthreads();\n", ""),
            ("      blocksync();\n", ""),
            ("      blocksync();\n", "      if (q == 0) { blocksync(); }\n"),
        ),
    ),
    Attempt(
        "shared memory used again",
        kernel(
            """    for (int q = 0; q < 2; q++) {
      __shared__ float s[8];
      thread for (int t = 0; t < 8; t++) { s[t] = 1.0f; }
      blocksync();
      thread for (int t = 0; t < 8; t++) { d[b][t] = s[7 - t]; }
      __syncthreads();
    }""",
            "1",
        ),
        (
            ("      __syncthreads();\n", ""),
            ("      blocksync();\n", ""),
            ("{ s[t] = 1.0f; }", "{ if (q == 0) { s[t] = 1.0f; } }"),
        ),
    ),
    Attempt(
        "shared memory in bytes",
        kernel(TWO_SHARED + "    thread for (int t = 0; t < 8; t++) { d[b][t] = s[t]; }", shared=32),
        (
            ("kernel_launch(G, 8, 32)", "kernel_launch(G, 8, 31)"),
            ("s[8];", "s[9];"),
            ("__shared__ float s[8]", "__shared__ double s[8]"),
        ),
    ),
    Attempt(
        "two kernels in a row",
        """void f(int G, float d[G], float e[G]) {
  __requires("D: int -> float, G >= 0");
  __consumes("d ~> Matrix1Of(G, GMem, D)");
  __consumes("e ~> UninitMatrix1Of(G, GMem)");
  __produces("d ~> Matrix1Of(G, GMem, fun i -> D(i) + 1), e ~> Matrix1Of(G, GMem, fun i -> D(G - 1 - i) + 1)");
  kernel_launch(G, 1, 0);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) { d[b] += 1.0f; }
  kernel_teardown_begin();
  kernel_kill();
  kernel_launch(G, 1, 0);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) { e[b] = d[G - 1 - b]; }
  kernel_teardown_begin();
  kernel_kill();
}
""",
        (
            ("  kernel_teardown_begin();\n  kernel_kill();\n  kernel_launch(G, 1, 0);\n  kernel_setup_end();\n", ""),
            ("e[b] = d[G - 1 - b]", "d[b] = d[G - 1 - b]; e[b] = d[b]"),
            ("  kernel_kill();\n  kernel_launch", "  kernel_launch"),
            (
                "kernel_launch(G, 1, 0);\n  kernel_setup_end();\n  thread for (int b = 0; b < G; b++) { d",
                "kernel_launch(G, 0, 0);\n  kernel_setup_end();\n  thread for (int b = 0; b < G; b++) { d",
            ),
            (
                "kernel_launch(G, 1, 0);\n  kernel_setup_end();\n  thread for (int b = 0; b < G; b++) { d",
                "kernel_launch(G, 2, 0);\n  kernel_setup_end();\n  thread for (int b = 0; b < G; b++) { d",
            ),
        ),
    ),
    Attempt(
        "calls by threads",
        kernel(
            "    thread for (int t = 0; t < 8; t++) { put(&d[b][t]); }",
            "7",
            before=PUT,
        ),
        (
            ("put(&d[b][t])", "put(&d[b][0])"),
            ("put(&d[b][t])", "put(&d[b][t + 1])"),
            ("    thread for (int t = 0; t < 8; t++) { put(&d[b][t]); }", "    put(d[b]);"),
            ("__device__ void", "void"),
            ("p[0] = 7.0f", "p[0] = 8.0f"),
            ("p[0] = 7.0f", "p[1] = 7.0f"),
        ),
    ),
    Attempt(
        "shuffles",
        """void f(int G, float d[G][32]) {
  __requires("D: int * int -> float, G >= 0");
  __consumes("d ~> Matrix2Of(G, 32, GMem, D)");
  __produces("d ~> Matrix2Of(G, 32, GMem, fun b t -> t < 31 ? D(b, t + 1) : D(b, t))");
  kernel_launch(G, 32, 0);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) {
    float* const x = __treg_malloc0<float>();
    float* const y = __treg_malloc0<float>();
    thread for (int t = 0; t < 32; t++) { x[DMINDEX1(32, t)] = d[b][t]; }
    shfl_down(&y[DMINDEX1(32, 0)], &x[DMINDEX1(32, 0)], 1);
    thread for (int t = 0; t < 32; t++) { d[b][t] = y[DMINDEX1(32, t)]; }
  }
  kernel_teardown_begin();
  kernel_kill();
}
""",
        (
            ("], 1);", "], 2);"),
            ("], 1);", "], 32);"),
            ("shfl_down", "shfl_up"),
            ("&x[DMINDEX1(32, 0)], 1", "&y[DMINDEX1(32, 0)], 1"),
            ("&x[DMINDEX1(32, 0)], 1", "&x[DMINDEX1(32, 1)], 1"),
            ("{ x[DMINDEX1(32, t)] = d[b][t]; }", "{ if (t > 0) { x[DMINDEX1(32, t)] = d[b][t]; } }"),
            ("t < 31 ? D(b, t + 1) : D(b, t)", "t < 31 ? D(b, t + 1) : D(b, 0)"),
        ),
    ),
    Attempt(
        "vector accesses",
        """void f(int G, float d[G][8]) {
  __requires("D: int * int -> float, G >= 0");
  __consumes("d ~> Matrix2Of(G, 8, GMem, D)");
  __produces("d ~> Matrix2Of(G, 8, GMem, fun b t -> D(b, t) + 1)");
  kernel_launch(G, 2, 0);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) thread for (int t = 0; t < 2; t++) {
    float r[4];
    vload4(&r[0], &d[b][4 * t]);
    for (int i = 0; i < 4; i++) r[i] += 1.0f;
    vstore4(&d[b][4 * t], &r[0]);
  }
  kernel_teardown_begin();
  kernel_kill();
}
""",
        (
            ("vstore4(&d[b][4 * t]", "vstore4(&d[b][4 * t + 1]"),
            ("vload4(&r[0], &d[b][4 * t])", "vload4(&r[0], &d[b][2 * t])"),
            ("vload4(&r[0], &d[b][4 * t])", "vload2(&r[0], &d[b][4 * t])"),
            ("vstore4(&d[b][4 * t]", "vstore4(&d[b][0]"),
            ("float r[4]", "float r[3]"),
        ),
    ),
    Attempt(
        "memory spaces",
        """void f(int n, float a[n]) {
  __requires("A: int -> float, n >= 0");
  __consumes("a ~> Matrix1(n, A)");
  __produces("a ~> Matrix1(n, fun i -> A(i) + 1)");
  float* const d = __gmem_malloc1<float>(n);
  memcpy_host_to_device1(d, a, n);
  kernel_launch(n, 1, 0);
  kernel_setup_end();
  thread for (int b = 0; b < n; b++) { d[b] += 1.0f; }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host1(a, d, n);
  gmem_free(d);
}
""",
        (
            ("d[b] += 1.0f", "a[b] += 1.0f"),
            ("memcpy_device_to_host1(a, d, n)", "for (int i = 0; i < n; i++) a[i] = d[i]"),
            ("memcpy_host_to_device1(d, a, n)", "memcpy_device_to_host1(d, a, n)"),
            ("  memcpy_host_to_device1(d, a, n);\n", ""),
            ("  gmem_free(d);\n", ""),
            ("  gmem_free(d);\n", "  free(d);\n"),
            ("memcpy_device_to_host1(a, d, n);\n  gmem_free(d);", "gmem_free(d);\n  memcpy_device_to_host1(a, d, n);"),
        ),
    ),
    Attempt(
        "magic threads are independent",
        """void f(int n, float a[n], float b[n]) {
  __requires("A: int -> float");
  __reads("a ~> Matrix1(n, A)");
  __writes("b ~> Matrix1(n, A)");
  magic thread for (int i = 0; i < n; i++) { b[i] = a[i]; }
}
""",
        (
            ("b[i] = a[i]", "b[0] = a[i]"),
            ("b[i] = a[i]", "b[i] = a[i]; if (i > 0) { b[i] = b[i - 1]; }"),
            ("i < n", "i <= n"),
        ),
    ),
    Attempt(
        "branches of threads: owners and marks of either branch",
        kernel(
            TWO_SHARED
            + """    if (b > 0) {
      blocksync();
    }
    __syncthreads();
    thread for (int t = 0; t < 8; t++) { d[b][t] = s[7 - t]; }""",
            "D(b, 7 - t)",
        ),
        (("    __syncthreads();\n", ""),),
    ),
]


@pytest.mark.parametrize("attempt", ATTEMPTS, ids=lambda a: a.rule)
def test_rule(attempt: Attempt) -> None:
    put_to_the_checker(attempt)


def test_assumptions_are_told() -> None:
    """An axiom or an admitted function may prove anything, and the verdict says so."""
    text = 'int g(int n) {\n  __ensures("_Res > n && _Res < n");\n  __admitted();\n  return n;\n}\n'
    text += 'int f(int n) {\n  __ensures("_Res == 0");\n  const int x = g(n);\n  return x;\n}\n'
    result = Verifier(Settings(unbounded=True)).verify(parse_text(text))
    assert result.verified and result.admitted == ["g"]
    axiom = '__DECL(g, "int -> int");\n__AXIOM(next, "forall (n: int) -> g(n) == n + 1");\n'
    axiom += 'int f(int n) {\n  __ensures("_Res == g(n)");\n  return n + 1;\n}\n'
    verifier = Verifier(Settings(unbounded=True))
    result = verifier.verify(parse_text(axiom))
    assert result.verified and result.axioms == ["next"]
    assert not verifier.verify(parse_text(axiom.replace('n + 1")', 'n + 2")'))).verified


def test_definitions_count_for_what_they_say_now() -> None:
    """A verifier that has seen another definition of the same name."""
    text = (
        '__DEF(twice, "fun (x: int) -> 2 * x");\nint f(int n) {\n  __ensures("_Res == twice(n)");\n  return 2 * n;\n}\n'
    )
    verifier = Verifier(Settings(unbounded=True))
    assert verifier.verify(parse_text(text)).verified
    assert not verifier.verify(parse_text(text.replace("-> 2 * x", "-> 3 * x"))).verified
    callee = (
        text.replace("f(int n)", "g(int n)")
        + 'int f(int n) {\n  __ensures("_Res == 2 * n");\n  const int x = g(n);\n  return x;\n}\n'
    )
    assert verifier.verify(parse_text(callee)).verified
    assert not verifier.verify(parse_text(callee.replace("return 2 * n", "return 3 * n"))).verified
