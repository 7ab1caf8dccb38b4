# ruff: noqa: E501 (the text of programs)
"""Random programs for the CPU of the shapes that people write: in place, early ends, memory under conditions, parts of arrays, folds.

Right by construction but for a few claims (`claim`).
"""

from __future__ import annotations

from random import Random

SHIFT = """void shift_by(int k, float s, float x[k]) {
  __requires("X: int -> float");
  __consumes("x ~> Matrix1(k, X)");
  __produces("x ~> Matrix1(k, fun i -> X(i) + s)");
  for (int i = 0; i < k; i++) x[i] += s;
}
"""
DOUBLE_SHIFT = """void double_shift(int k, float x[k]) {
  __requires("X: int -> float");
  __consumes("x ~> Matrix1(k, X)");
  __produces("x ~> Matrix1(k, fun i -> X(i) + 3)");
  shift_by(k, 1.0f, x);
  shift_by(k, 2.0f, &x[0]);
}
"""
LARGEST = """float largest(int k, float x[k]) {
  __requires("X: int -> float, k > 0");
  __reads("x ~> Matrix1(k, X)");
  __ensures("_Res == Max(i in 0..k, X(i))");
  float v = x[0];
  for (int i = 1; i < k; i++) v = fmaxf(v, x[i]);
  return v;
}
"""
SWAP = """void swap_ends(int k, float x[k]) {
  __requires("X: int -> float, k >= 2");
  __consumes("x ~> Matrix1(k, X)");
  __produces("x ~> Matrix1(k, fun i -> i == 0 ? X(k - 1) : i == k - 1 ? X(0) : X(i))");
  const float v = x[0];
  x[0] = x[k - 1];
  x[k - 1] = v;
}
"""


class CpuShapes:
    """One function and those it calls. `kinds` are the methods that make them."""

    kinds = (
        "in_place", "early_end", "early_return", "conditional_heap", "parts", "row_parts", "folds", "row_folds", "tiles", "small_tree",
        "counting", "parallel_buffers", "normalised_rows", "cube", "loop_contracts", "wavefront", "exchange", "scalars",
    )  # fmt: skip

    def __init__(self, random: Random) -> None:
        self.r = random

    def program(self) -> str:
        make = getattr(self, self.r.choice(self.kinds))
        text: str = make()
        return text

    def claim(self, array: str, sizes: str, names: str, right: str, near: list[str]) -> str:
        """What is produced: mostly what is there, sometimes less, sometimes something else."""
        how, count = self.r.random(), len(names.split())
        if how < 0.2:
            return f"{array} ~> Cells{count}({sizes})"
        return f"{array} ~> Matrix{count}({sizes}, fun {names} -> {right if how < 0.93 else self.r.choice(near)})"

    def vector(self, body: str, right: str, *, needs: str = "", before: str = "", extra: str = "int m, ") -> str:
        """A function that changes a, which holds A before."""
        claim = self.claim("a", "n", "i", right, ["A(i)", "A(n - 1 - i)", "0"])
        return f"""{before}void f(int n, {extra}float a[n]) {{
  __requires("A: int -> float{needs and ", " + needs}");
  __consumes("a ~> Matrix1(n, A)");
  __produces("{claim}");
{body}
}}
"""

    def mapped(self, body: str, right: str, *, needs: str = "", before: str = "") -> str:
        """A function that reads a and writes c."""
        claim = self.claim("c", "n", "i", right, ["A(i)", "A(n - 1 - i)", "0"])
        return f"""{before}void f(int n, int m, float a[n], float c[n]) {{
  __requires("A: int -> float{needs and ", " + needs}");
  __reads("a ~> Matrix1(n, A)");
  __consumes("c ~> UninitMatrix1(n)");
  __produces("{claim}");
{body}
}}
"""

    def result(self, body: str, right: str, *, needs: str = "", near: str = "0") -> str:
        wanted = right if self.r.random() < 0.93 else near
        return f"""float f(int n, int m, float a[n]) {{
  __requires("A: int -> float{needs and ", " + needs}");
  __reads("a ~> Matrix1(n, A)");
  __ensures("_Res == {wanted}");
{body}
}}
"""

    # In place

    def in_place(self) -> str:
        body, right, needs = self.r.choice(
            [
                ("  for (int i = 0; i < n / 2; i++) { const float v = a[i]; a[i] = a[n - 1 - i]; a[n - 1 - i] = v; }", "A(n - 1 - i)", ""),
                ("  for (int i = 0; i < n - 1; i++) a[i] = a[i + 1];", "i < n - 1 ? A(i + 1) : A(i)", "n >= 1"),
                ("  for (int i = n - 1; i > 0; i--) a[i] = a[i - 1];", "i > 0 ? A(i - 1) : A(i)", ""),
                ("  for (int i = 1; i < n; i++) a[i] += a[i - 1];", "Sum(k in 0..i + 1, A(k))", ""),
                ("  float s = 0.0f;\n  for (int i = 0; i < n; i++) { s += a[i]; a[i] = s; }", "Sum(k in 0..i + 1, A(k))", ""),
                ("  float s = 0.0f;\n  for (int i = 0; i < n; i++) { const float v = a[i]; a[i] = s; s += v; }", "Sum(k in 0..i, A(k))", ""),
                ("  for (int i = 0; i < n; i++) { a[i] = a[i] * a[i]; }\n  for (int i = n - 1; i >= 0; i--) { a[i] -= 1.0f; }", "A(i) * A(i) - 1", ""),
                ("  for (int i = 0; i < n; i += 2) a[i] = -a[i];", "i % 2 == 0 ? -A(i) : A(i)", ""),
                ("  for (int i = 0; i < n / 2; i++) { a[2 * i] += 1.0f; a[2 * i + 1] += 2.0f; }", "i % 2 == 0 ? A(i) + 1 : A(i) + 2", "n % 2 == 0"),
                ("  for (int i = n - 1; i >= 0; i -= 3) a[i] = 0.0f;", "(n - 1 - i) % 3 == 0 ? 0 : A(i)", ""),
            ]
        )  # fmt: skip
        return self.vector(body, right, needs=needs)

    def exchange(self) -> str:
        """By way of a temporary, on the heap or not."""
        heap = self.r.random() < 0.6
        there, back, right = self.r.choice(
            [
                ("t[i] = a[n - 1 - i];", "a[i] = t[i];", "A(n - 1 - i)"),
                ("t[n - 1 - i] = a[i];", "a[i] = t[i];", "A(n - 1 - i)"),
                ("t[i] = a[i];", "a[i] = t[(i + 1) % n];", "A((i + 1) % n)"),
                ("t[i] = a[i];", "a[i] += t[n - 1 - i];", "A(i) + A(n - 1 - i)"),
            ]
        )
        declared = "float* const t = MALLOC1(float, n);" if heap else "float t[n];"
        pragma = self.r.choice(["", "", "  #pragma omp parallel for\n", "  #pragma omp simd\n"])
        body = f"""  {declared}
{pragma}  for (int i = 0; i < n; i++) {{ {there} }}
{pragma}  for (int i = 0; i < n; i++) {{ {back} }}
  {"free(t);" if heap else ""}"""
        return self.vector(body, right, needs="" if heap else "n > 0")

    # Early ends and conditions

    def early_end(self) -> str:
        test, right = self.r.choice(
            [
                ("i >= m", "i >= m ? A(i) : A(i) + 1"),
                ("i < m", "i < m ? A(i) : A(i) + 1"),
                ("i % 2 == 1", "i % 2 == 1 ? A(i) : A(i) + 1"),
                ("a[i] < 0.0f", "A(i) < 0 ? A(i) : A(i) + 1"),
                ("i == m || a[i] > 2.0f", "i == m || A(i) > 2 ? A(i) : A(i) + 1"),
            ]
        )
        loop = self.r.choice(["int i = 0; i < n; i++", "int i = n - 1; i >= 0; i--"])
        second_access = self.r.choice(["", "", " if (i == 0) continue; a[i] += 0.0f;"])
        return self.vector(f"  for ({loop}) {{ if ({test}) continue; a[i] += 1.0f;{second_access} }}", right)

    def early_return(self) -> str:
        test = self.r.choice(["m < 0", "n == 0", "m > n", "n < 2"])
        needs, more = ("", "for (int i = 0; i < n; i++) a[i] = 2.0f * a[i];")
        right = f"{test} ? A(i) : 2 * A(i)"
        if test in ("m < 0", "n < 2") and self.r.random() < 0.4:
            more, right = "if (m > n) return;\n  " + more, f"{test} || m > n ? A(i) : 2 * A(i)"
        return self.vector(f"  if ({test}) return;\n  {more}", right, needs=needs)

    def conditional_heap(self) -> str:
        test = self.r.choice(["m > 0", "n > 2", "m == n"])
        inside = """float* const t = MALLOC1(float, n);
    for (int i = 0; i < n; i++) t[i] = a[n - 1 - i];
    for (int i = 0; i < n; i++) a[i] = t[i];
    free(t);"""
        if self.r.random() < 0.5:
            return self.vector(f"  if ({test}) {{\n    {inside}\n  }}", f"{test} ? A(n - 1 - i) : A(i)")
        times = self.r.choice([1, 2, 3])
        right = "A(i)" if times % 2 == 0 else "A(n - 1 - i)"
        return self.vector(f"  for (int q = 0; q < {times}; q++) {{\n    {inside}\n  }}", right)

    # Parts of arrays passed on

    def parts(self) -> str:
        r = self.r
        inside = "0 <= m && m <= n"
        body, right, needs, before = r.choice(
            [
                ("shift_by(m, 1.0f, a);", "i < m ? A(i) + 1 : A(i)", inside, SHIFT),
                ("shift_by(n - m, 1.0f, &a[m]);", "i < m ? A(i) : A(i) + 1", inside, SHIFT),
                ("shift_by(m, 1.0f, a); shift_by(n - m, 2.0f, &a[m]);", "i < m ? A(i) + 1 : A(i) + 2", inside, SHIFT),
                ("shift_by(n - 2, 1.0f, &a[1]);", "0 < i && i < n - 1 ? A(i) + 1 : A(i)", "n >= 2", SHIFT),
                ("for (int b = 0; b < exact_div(n, 4); b++) shift_by(4, b, &a[4 * b]);", "A(i) + i / 4", "n % 4 == 0", SHIFT),
                ("for (int b = 0; b < exact_div(n, 2); b++) swap_ends(2, &a[2 * b]);", "A(i % 2 == 0 ? i + 1 : i - 1)", "n % 2 == 0", SWAP),
                ("double_shift(n, a);", "A(i) + 3", "", SHIFT + DOUBLE_SHIFT),
                ("double_shift(m, &a[n - m]);", "i >= n - m ? A(i) + 3 : A(i)", inside, SHIFT + DOUBLE_SHIFT),
                ("swap_ends(n, a);", "i == 0 ? A(n - 1) : i == n - 1 ? A(0) : A(i)", "n >= 2", SWAP),
                ("if (n >= 2) swap_ends(n, a);", "n < 2 ? A(i) : i == 0 ? A(n - 1) : i == n - 1 ? A(0) : A(i)", "", SWAP),
                ("const float v = largest(n, a);\n  for (int i = 0; i < n; i++) a[i] -= v;", "A(i) - Max(k in 0..n, A(k))", "n > 0", LARGEST),
                ("const float v = largest(m, &a[n - m]); a[0] = v;", "i == 0 ? Max(k in n - m..n, A(k)) : A(i)", "0 < m && m <= n", LARGEST),
            ]
        )  # fmt: skip
        return self.vector("  " + body, right, needs=needs, before=before)

    def row_parts(self) -> str:
        """Rows of a matrix, or parts of them, passed on."""
        call, right, needs, before = self.r.choice(
            [
                ("shift_by(m, i, a[i]);", "A(i, j) + i", "", SHIFT),
                ("shift_by(m - 1, 1.0f, &a[i][1]);", "j >= 1 ? A(i, j) + 1 : A(i, j)", "m >= 1", SHIFT),
                ("if (i % 2 == 0) { shift_by(m, 1.0f, a[i]); }", "i % 2 == 0 ? A(i, j) + 1 : A(i, j)", "", SHIFT),
                ("swap_ends(m, a[i]);", "A(i, j == 0 ? m - 1 : j == m - 1 ? 0 : j)", "m >= 2", SWAP),
                ("const float v = largest(m, a[i]); shift_by(m, v, a[i]);", "A(i, j) + Max(k in 0..m, A(i, k))", "m > 0", LARGEST + SHIFT),
            ]
        )  # fmt: skip
        pragma = self.r.choice(["", "  #pragma omp parallel for\n"])
        claim = self.claim("a", "n, m", "i j", right, ["A(i, j)", "0"])
        return f"""{before}void f(int n, int m, float a[n][m]) {{
  __requires("A: int * int -> float{needs and ", " + needs}");
  __consumes("a ~> Matrix2(n, m, A)");
  __produces("{claim}");
{pragma}  for (int i = 0; i < n; i++) {{ {call} }}
}}
"""

    # Folds

    def folds(self) -> str:
        body, right, needs = self.r.choice(
            [
                ("float v = a[0];\n  for (int i = 1; i < n; i++) v = fmaxf(v, a[i]);", "Max(k in 0..n, A(k))", "n > 0"),
                ("float v = a[0];\n  for (int i = 0; i < n; i++) if (a[i] < v) { v = a[i]; }", "Min(k in 0..n, A(k))", "n > 0"),
                ("float v = a[n - 1];\n  for (int i = n - 2; i >= 0; i--) v = fminf(a[i], v);", "Min(k in 0..n, A(k))", "n > 0"),
                ("float v = a[0];\n  for (int i = 1; i < n; i += 2) v = fmaxf(v, a[i]);\n  for (int i = 2; i < n; i += 2) v = fmaxf(v, a[i]);",
                 "Max(k in 0..n, A(k))", "n > 0"),
                ("float v = 0.0f;\n  for (int i = 0; i < n; i++) v += a[i] * a[i];", "Sum(k in 0..n, A(k) * A(k))", ""),
                ("float v = 1.0f;\n  for (int i = 0; i < n; i++) v *= a[i];", "Prod(k in 0..n, A(k))", ""),
                ("float v = 0.0f;\n  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) v += a[i] * a[j];",
                 "Sum(i in 0..n, j in 0..n, A(i) * A(j))", ""),
                ("float v = 0.0f;\n  for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) v += a[j];",
                 "Sum(i in 0..n, Sum(j in 0..i, A(j)))", ""),
                ("float v = 0.0f;\n  for (int i = 0; i < m; i++) v += a[i];\n  for (int i = m; i < n; i++) v -= a[i];",
                 "Sum(k in 0..m, A(k)) - Sum(k in m..n, A(k))", "0 <= m && m <= n"),
                ("float v = 0.0f;\n  for (int i = 0; i < n; i++) { if (i >= m) continue; v += a[i]; }", "Sum(k in 0..n, k < m ? A(k) : 0)", ""),
            ]
        )  # fmt: skip
        return self.result(
            f"  {body}\n  return v;", right, needs=needs, near=self.r.choice(["0", "Sum(k in 0..n, A(k))", "A(0)"])
        )

    def row_folds(self) -> str:
        start, step, right, needs = self.r.choice(
            [
                ("0.0f", "v += a[i][j];", "Sum(j in 0..m, A(i, j))", ""),
                ("a[i][0]", "v = fmaxf(v, a[i][j]);", "Max(j in 0..m, A(i, j))", "m > 0"),
                ("a[i][0]", "v = fminf(v, a[i][j]);", "Min(j in 0..m, A(i, j))", "m > 0"),
                ("0.0f", "if (j <= i) { v += a[i][j]; }", "Sum(j in 0..m, j <= i ? A(i, j) : 0)", ""),
            ]
        )
        pragma = self.r.choice(["", "  #pragma omp parallel for\n"])
        loop = self.r.choice(["int j = 0; j < m; j++", "int j = 0; j < m; j++", "int j = m - 1; j >= 0; j--"])
        claim = self.claim("c", "n", "i", right, ["0", "A(i, 0)"])
        return f"""void f(int n, int m, float a[n][m], float c[n]) {{
  __requires("A: int * int -> float{needs and ", " + needs}");
  __reads("a ~> Matrix2(n, m, A)");
  __consumes("c ~> UninitMatrix1(n)");
  __produces("{claim}");
{pragma}  for (int i = 0; i < n; i++) {{ float v = {start}; for ({loop}) {{ {step} }} c[i] = v; }}
}}
"""

    def counting(self) -> str:
        """How many, and where they would go."""
        test, spec = self.r.choice(
            [("a[i] > 0.0f", "A(k) > 0"), ("i % 3 == 0", "k % 3 == 0"), ("a[i] == a[0]", "A(k) == A(0)")]
        )
        needs = "n > 0" if "a[0]" in test else ""
        if self.r.random() < 0.5:
            step = self.r.choice(
                [f"if ({test}) {{ v += 1.0f; }}", f"v += {test} ? 1.0f : 0.0f;", f"if (!({test})) continue; v += 1.0f;"]
            )
            body = f"  float v = 0.0f;\n  for (int i = 0; i < n; i++) {{ {step} }}\n  return v;"
            return self.result(body, f"Sum(k in 0..n, {spec} ? 1 : 0)", needs=needs, near="n")
        body = f"  float v = 0.0f;\n  for (int i = 0; i < n; i++) {{ c[i] = v; if ({test}) {{ v += 1.0f; }} }}"
        return self.mapped(body, f"Sum(k in 0..i, {spec} ? 1 : 0)", needs=needs)

    # Shapes of loops

    def tiles(self) -> str:
        """A matrix by tiles that do not divide it: guards, or ends that are minima."""
        k, kind = self.r.choice([2, 3]), self.r.choice(["guard", "minimum", "step"])
        store, right = self.r.choice(
            [
                ("c[i][j] = a[i][j] + 1.0f;", "A(i, j) + 1"),
                ("c[i][j] = a[n - 1 - i][j];", "A(n - 1 - i, j)"),
                ("c[i][j] = i * j;", "i * j"),
            ]
        )
        match kind:
            case "guard":
                head = (
                    f"for (int p = 0; p < (n + {k - 1}) / {k}; p++) for (int q = 0; q < (m + {k - 1}) / {k}; q++)\n"
                    f"    for (int y = 0; y < {k}; y++) for (int x = 0; x < {k}; x++)"
                )
                body = f"const int i = {k} * p + y; const int j = {k} * q + x; if (i < n && j < m) {{ {store} }}"
            case "minimum":
                head = f"for (int p = 0; p < (n + {k - 1}) / {k}; p++) for (int i = {k} * p; i < min({k} * p + {k}, n); i++) for (int j = 0; j < m; j++)"
                body = store
            case _:
                head = f"for (int p = 0; p < n; p += {k}) for (int i = p; i < min(p + {k}, n); i++) for (int j = m - 1; j >= 0; j--)"
                body = store
        claim = self.claim("c", "n, m", "i j", right, ["A(i, j)", "0"])
        return f"""void f(int n, int m, float a[n][m], float c[n][m]) {{
  __requires("A: int * int -> float");
  __reads("a ~> Matrix2(n, m, A)");
  __consumes("c ~> UninitMatrix2(n, m)");
  __produces("{claim}");
  {head} {{ {body} }}
}}
"""

    def small_tree(self) -> str:
        """A tree over a small array on the stack."""
        size = self.r.choice([2, 4, 8])
        big, step = self.r.choice(
            [
                ("Sum", "t[i] += t[i + h];"),
                ("Max", "t[i] = fmaxf(t[i], t[i + h]);"),
                ("Min", "t[i] = fminf(t[i], t[i + h]);"),
            ]
        )
        loop = self.r.choice([f"int h = {size // 2}; h > 0; h >>= 1", f"int h = {size // 2}; h >= 1; h /= 2"])
        order = self.r.choice(["int i = 0; i < h; i++", "int i = h - 1; i >= 0; i--"])
        body = f"""  float t[{size}];
  for (int i = 0; i < {size}; i++) t[i] = a[i];
  for ({loop}) for ({order}) {step}
  return t[0];"""
        return self.result(body, f"{big}(k in 0..{size}, A(k))", needs=f"n >= {size}")

    def parallel_buffers(self) -> str:
        """Iterations in parallel, each with memory of its own."""
        k = self.r.choice([2, 3, 4])
        pragma = self.r.choice(["#pragma omp parallel for", "#pragma omp parallel for", "#pragma omp simd"])
        if self.r.random() < 0.5:
            fill = f"for (int j = 0; j < {k}; j++) t[j] = a[i] + j;"
            body = f"float t[{k}]; {fill} c[i] = t[{k - 1}] - t[0];"
            return self.mapped(f"  {pragma}\n  for (int i = 0; i < n; i++) {{ {body} }}", str(k - 1))
        body = (
            "float* const t = MALLOC1(float, n); for (int j = 0; j < n; j++) t[j] = a[j]; c[i] = t[n - 1 - i]; free(t);"
        )
        return self.mapped(f"  {pragma}\n  for (int i = 0; i < n; i++) {{ {body} }}", "A(n - 1 - i)")

    def normalised_rows(self) -> str:
        """Several passes over each row."""
        pragma = self.r.choice(["", "  #pragma omp parallel for\n"])
        claim = self.claim("a", "n, m", "i j", "A(i, j) - Max(k in 0..m, A(i, k))", ["A(i, j)", "A(i, j) - A(i, 0)"])
        first = "float v = a[i][0]; for (int j = 1; j < m; j++) v = fmaxf(v, a[i][j]);"
        return f"""void f(int n, int m, float a[n][m]) {{
  __requires("A: int * int -> float, m > 0");
  __consumes("a ~> Matrix2(n, m, A)");
  __produces("{claim}");
{pragma}  for (int i = 0; i < n; i++) {{ {first} for (int j = 0; j < m; j++) a[i][j] -= v; }}
}}
"""

    def cube(self) -> str:
        """Three dimensions, in any order of loops."""
        loops = ["for (int i = 0; i < n; i++)", "for (int j = 0; j < m; j++)", "for (int k = 0; k < 2; k++)"]
        self.r.shuffle(loops)
        store, right = self.r.choice(
            [("c[i][j][k] = a[i][j][k] + k;", "A(i, j, k) + k"), ("c[i][j][k] = a[i][j][1 - k];", "A(i, j, 1 - k)")]
        )
        claim = self.claim("c", "n, m, 2", "i j k", right, ["A(i, j, k)", "0"])
        return f"""void f(int n, int m, float a[n][m][2], float c[n][m][2]) {{
  __requires("A: int * int * int -> float");
  __reads("a ~> Matrix3(n, m, 2, A)");
  __consumes("c ~> UninitMatrix3(n, m, 2)");
  __produces("{claim}");
  {" ".join(loops)} {{ {store} }}
}}
"""

    def loop_contracts(self) -> str:
        """Loops that say themselves what an iteration has."""
        pragma = self.r.choice(["", "  #pragma omp parallel for\n"])
        contract, store, right = self.r.choice(
            [
                ('__xwrites("&c[i] ~~> 2 * A(i)"); __sreads("a ~> Matrix1(n, A)");', "c[i] = 2.0f * a[i];", "2 * A(i)"),
                ('__xwrites("&c[i] ~> Cell"); __sreads("a ~> Matrix1(n, A)");', "c[i] = 2.0f * a[i];", "2 * A(i)"),
                (
                    '__xwrites("&c[i] ~~> A(n - 1 - i)"); __sreads("a ~> Matrix1(n, A)");',
                    "c[i] = a[n - 1 - i];",
                    "A(n - 1 - i)",
                ),
                ('__xwrites("&c[i] ~~> A(i) + i"); __xreads("&a[i] ~~> A(i)");', "c[i] = a[i] + i;", "A(i) + i"),
            ]
        )
        return self.mapped(f"{pragma}  for (int i = 0; i < n; i++) {{ {contract} {store} }}", right)

    def wavefront(self) -> str:
        """A loop whose inner bounds depend on the outer index."""
        head, right = self.r.choice(
            [
                ("for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) c[i][j] = a[i][j];", "j <= i ? A(i, j) : 0"),
                ("for (int j = 0; j < n; j++) for (int i = j; i < n; i++) c[i][j] = a[i][j];", "j <= i ? A(i, j) : 0"),
                (
                    "for (int i = 0; i < n; i++) for (int j = i + 1; j < n; j++) c[i][j] = a[j][i];",
                    "i < j ? A(j, i) : 0",
                ),
                ("for (int i = 0; i < n; i++) c[i][i] = a[i][i];", "i == j ? A(i, j) : 0"),
            ]
        )
        claim = self.claim("c", "n, n", "i j", right, ["A(i, j)", "0"])
        return f"""void f(int n, float a[n][n], float c[n][n]) {{
  __requires("A: int * int -> float");
  __reads("a ~> Matrix2(n, n, A)");
  __consumes("c ~> UninitMatrix2(n, n)");
  __produces("{claim}");
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) c[i][j] = 0.0f;
  {head}
}}
"""

    def scalars(self) -> str:
        """Variables that change from iteration to iteration, and integers that are computed with."""
        body, right = self.r.choice(
            [
                ("  int k = 0;\n  for (int i = 0; i < n; i++) { c[i] = k; k += 2; }", "2 * i"),
                ("  int k = n - 1;\n  for (int i = 0; i < n; i++) { c[i] = a[k]; k -= 1; }", "A(n - 1 - i)"),
                (
                    "  for (int i = 0; i < n; i++) { int k = i; if (k >= m) { k = 0; } c[i] = a[k]; }",
                    "A(i >= m ? 0 : i)",
                ),
                ("  for (int i = 0; i < n; i++) { const int k = i / 2; c[i] = a[2 * k]; }", "A(i - i % 2)"),
                (
                    "  for (int i = 0; i < n; i++) { const int k = min(i, n - 1 - i); c[i] = a[k]; }",
                    "A(min(i, n - 1 - i))",
                ),
                ("  for (int i = 0; i < n; i++) { const int k = abs(i - m) % n; c[i] = a[k]; }", "A(abs(i - m) % n)"),
                (
                    "  float v = 1.0f;\n  for (int i = 0; i < n; i++) { c[i] = v * a[i]; v = -v; }",
                    "i % 2 == 0 ? A(i) : -A(i)",
                ),
            ]
        )
        return self.mapped(body, right)
