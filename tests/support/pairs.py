"""Programs that verify, each with wrong twins: one change, the verdict and code it must get, and the line it must be reported on.

The verdict is REFUTED wherever a concrete input exists that shows the fault; UNPROVED where none can be run.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Wrong:
    old: str
    new: str
    code: str
    place: str  # part of the reported line
    verdict: str = "REFUTED"


@dataclass(frozen=True)
class Pair:
    name: str
    good: str
    wrong: tuple[Wrong, ...]


CELL = "for i in {} -> &a[{}] ~> Cell"
TWO_CLAIMS = f"{CELL.format('0..2', 'i')}, {CELL.format('2..n', 'i')}"
END = '");\n  __prod'

PAIRS = [
    Pair(
        "fill",
        """void fill(int n, float a[n]) {
  __writes("a ~> Matrix1(n, fun i -> 1)");
  for (int i = 0; i < n; i++) {
    a[i] = 1.0f;
  }
}
""",
        (
            Wrong("i < n", "i <= n", "OG302", "a[i] = 1.0f"),
            Wrong("int i = 0", "int i = -1", "OG302", "a[i] = 1.0f"),
            Wrong("int i = 0", "int i = 1", "OG306", "__writes"),
            Wrong("i < n", "i < n - 1", "OG306", "__writes"),
            Wrong("a[i] = 1.0f", "a[i + 1] = 1.0f", "OG302", "a[i + 1]"),
            Wrong("a[i] = 1.0f", "a[0] = 1.0f", "OG306", "__writes"),
            Wrong("a[i] = 1.0f", "a[i] = 2.0f", "OG305", "__writes"),
            Wrong("a[i] = 1.0f", "a[i] += 1.0f", "OG304", "a[i] += 1.0f"),
            Wrong("fun i -> 1", "fun i -> i", "OG305", "__writes"),
            Wrong("Matrix1(n, ", "Matrix1(n + 1, ", "OG332", "__writes", "UNPROVED"),
            Wrong("__writes", "__reads", "OG303", "a[i] = 1.0f"),
            Wrong("i++", "i += 2", "OG306", "__writes"),
        ),
    ),
    Pair(
        "shift",
        """void shift(int n, float a[n], float b[n]) {
  __requires("A: int -> float, size: n > 0");
  __reads("a ~> Matrix1(n, A)");
  __writes("b ~> Matrix1(n, fun i -> i == 0 ? 0 : A(i - 1))");
  b[0] = 0.0f;
  for (int i = 1; i < n; i++) {
    b[i] = a[i - 1];
  }
}
""",
        (
            Wrong(", size: n > 0", "", "OG302", "b[0] = 0.0f"),
            Wrong("a[i - 1]", "a[i]", "OG305", "__writes"),
            Wrong("a[i - 1]", "a[i + 1]", "OG302", "a[i + 1]"),
            Wrong("A(i - 1)", "A(i)", "OG305", "__writes"),
            Wrong("b[0] = 0.0f;\n", ";\n", "OG306", "__writes"),
            Wrong("i == 0 ? 0", "i == 0 ? 1", "OG305", "__writes"),
            Wrong("b[i] = a[i - 1]", "b[i] = b[i - 1]", "OG305", "__writes"),
        ),
    ),
    Pair(
        "unrolled_by_hand_with_a_rest",
        """void scaled(int n, float a[n], float c[n]) {
  __requires("A: int -> float");
  __reads("a ~> Matrix1(n, A)");
  __writes("c ~> Matrix1(n, fun i -> 2 * A(i))");
  for (int b = 0; b < (n + 3) / 4; b++) {
    if (4 * b + 3 < n) {
      c[4 * b] = 2.0f * a[4 * b];
      c[4 * b + 1] = 2.0f * a[4 * b + 1];
      c[4 * b + 2] = 2.0f * a[4 * b + 2];
      c[4 * b + 3] = 2.0f * a[4 * b + 3];
    } else {
      for (int i = 4 * b; i < n; i++) {
        c[i] = 2.0f * a[i];
      }
    }
  }
}
""",
        (
            Wrong("c[4 * b + 2] = 2.0f * a[4 * b + 2]", "c[4 * b + 2] = 2.0f * a[4 * b + 1]", "OG305", "__writes"),
            Wrong("c[4 * b + 2] = 2.0f * a[4 * b + 2]", "c[4 * b + 1] = 2.0f * a[4 * b + 1]", "OG306", "__writes"),
            Wrong("4 * b + 3 < n", "4 * b + 2 < n", "OG302", "c[4 * b] ="),
            Wrong("(n + 3) / 4", "n / 4", "OG306", "__writes"),
            Wrong("int i = 4 * b;", "int i = 4 * b + 1;", "OG306", "__writes"),
        ),
    ),
    Pair(
        "sum_in_tiles_and_a_strided_rest",
        """float sum(int n, float a[n]) {
  __requires("A: int -> float");
  __reads("a ~> Matrix1(n, A)");
  __ensures("_Res =. Sum(i in 0..n, A(i))");
  float part[2][2];
  for (int b = 0; b < 2; b++) {
    for (int t = 0; t < 2; t++) {
      part[b][t] = 0.0f;
      for (int k = 0; k < n / 16; k++) {
        for (int u = 0; u < 2; u++) {
          for (int v = 0; v < 2; v++) {
            part[b][t] += a[(2 * k + b) * 8 + 4 * u + 2 * t + v];
          }
        }
      }
      for (int i = n / 16 * 16 + 2 * b + t; i < n; i += 4) {
        part[b][t] += a[i];
      }
    }
  }
  float s = 0.0f;
  for (int b = 0; b < 2; b++) {
    for (int t = 0; t < 2; t++) {
      s += part[b][t];
    }
  }
  return s;
}
""",
        (
            Wrong("i += 4", "i += 8", "OG307", "__ensures"),
            Wrong("2 * b + t; i < n;", "2 * b + t; i < n - 1;", "OG307", "__ensures"),
            Wrong("part[b][t] = 0.0f", "part[b][t] = 1.0f", "OG307", "__ensures"),
        ),
    ),
    Pair(
        "sum",
        """float sum(int n, float a[n]) {
  __requires("A: int -> float");
  __reads("a ~> Matrix1(n, A)");
  __ensures("_Res == Sum(i in 0..n, A(i))");
  float s = 0.0f;
  for (int i = 0; i < n; i++) {
    s += a[i];
  }
  return s;
}
""",
        (
            Wrong("float s = 0.0f", "float s = 1.0f", "OG307", "__ensures"),
            Wrong("float s = 0.0f", "float s", "OG304", "s += a[i]"),
            Wrong("s += a[i]", "s -= a[i]", "OG307", "__ensures"),
            Wrong("s += a[i]", "s = a[i]", "OG307", "__ensures"),
            Wrong("Sum(i in 0..n, A(i))", "Sum(i in 0..n + 1, A(i))", "OG361", "__ensures", verdict="UNPROVED"),
            Wrong("Sum(i in 0..n, A(i))", "Sum(i in 1..n, A(i))", "OG307", "__ensures"),
            Wrong("Sum(i in 0..n, A(i))", "Prod(i in 0..n, A(i))", "OG307", "__ensures"),
            Wrong("int i = 0", "int i = 1", "OG307", "__ensures"),
            Wrong("  for", "  #pragma omp parallel for\n  for", "OG324", "s += a[i]"),
            Wrong("  for", "  #pragma omp simd\n  for", "OG324", "s += a[i]"),
            Wrong("Sum(i in 0..n, A(i))", "Sum(i in 0..n - 1, A(i))", "OG307", "__ensures"),
        ),
    ),
    Pair(
        "reduce_strided",
        """float reduce_strided(int n, float a[n]) {
  __requires("A: int -> float, d: n % 4 == 0");
  __reads("a ~> Matrix1(n, A)");
  __ensures("_Res == Sum(i in 0..n, A(i))");
  float s = 0.0f;
  for (int t = 0; t < 4; t++) {
    for (int k = 0; k < exact_div(n, 4); k++) {
      s += a[4 * k + t];
    }
  }
  return s;
}
""",
        (
            Wrong(", d: n % 4 == 0", "", "OG311", "exact_div"),
            Wrong("d: n % 4 == 0", "d: n % 2 == 0", "OG311", "exact_div"),
            Wrong("4 * k + t", "3 * k + t", "OG307", "__ensures"),
            Wrong("t < 4", "t < 3", "OG307", "__ensures"),
            Wrong("4 * k + t", "4 * t + k", "OG302", "4 * t + k"),
        ),
    ),
    Pair(
        "tiles",
        """void tiles(int n, float a[n]) {
  __requires("size: n >= 0");
  __writes("a ~> Matrix1(n, fun i -> 2 * i)");
  for (int t = 0; t < (n + 7) / 8; t++) {
    for (int i = 0; i < 8; i++) {
      if (8 * t + i < n) {
        a[8 * t + i] = 2 * (8 * t + i);
      }
    }
  }
}
""",
        (
            Wrong("if (8 * t + i < n)", "if (8 * t + i <= n)", "OG302", "a[8 * t + i] ="),
            Wrong("if (8 * t + i < n)", "if (true)", "OG302", "a[8 * t + i] ="),
            Wrong("(n + 7) / 8", "n / 8", "OG306", "__writes"),
            Wrong("(n + 7) / 8", "(n + 6) / 8", "OG306", "__writes"),
            Wrong("i < 8", "i < 7", "OG306", "__writes"),
            Wrong("a[8 * t + i] = 2 * (8 * t + i)", "a[8 * t + i] = 2 * (8 * t)", "OG305", "__writes"),
        ),
    ),
    Pair(
        "memory",
        """void memory(int n, float a[n]) {
  __requires("A: int -> float, size: n >= 0");
  __consumes("a ~> Matrix1(n, A)");
  __produces("a ~> Matrix1(n, fun i -> A(n - 1 - i))");
  float* const t = MALLOC1(float, n);
  for (int i = 0; i < n; i++) {
    t[i] = a[i];
  }
  for (int i = 0; i < n; i++) {
    a[i] = t[n - 1 - i];
  }
  free(t);
}
""",
        (
            Wrong("  free(t);\n", "", "OG308", "MALLOC1"),
            Wrong("  free(t);\n", "  free(t);\n  free(t);\n", "OG309", "free(t)"),
            Wrong("  free(t);\n", "  free(t);\n  a[0] = t[0];\n", "OG302", "a[0] = t[0]"),
            Wrong("  free(t);\n", "  if (n > 3) {\n    free(t);\n  }\n", "OG320", "MALLOC1"),
            Wrong("MALLOC1(float, n)", "MALLOC1(float, n - 1)", "OG314", "MALLOC1"),
            Wrong("size: n >= 0", "size: n >= -1", "", "", "VERIFIED"),  # Matrix1(n, A) says that n is not negative
            Wrong("t[i] = a[i]", "t[i] = a[i]; free(t)", "OG309", "for (int i"),
            Wrong("i = 0; i < n; i++) {\n    t[i]", "i = 1; i < n; i++) {\n    t[i]", "OG304", "a[i] = t[n - 1 - i]"),
            Wrong("a[i] = t[n - 1 - i]", "a[i] = a[n - 1 - i]", "OG305", "__produces"),
            Wrong("  free(t);\n", "  free(&t[1]);\n", "OG300", "free(&t[1])", "UNSUPPORTED"),
        ),
    ),
    Pair(
        "conditional_memory",
        """void conditional_memory(int n, float a[n]) {
  __requires("size: n > 0");
  __writes("a ~> Matrix1(n, fun i -> 0)");
  if (n > 5) {
    float* const t = MALLOC1(float, n);
    t[0] = 1.0f;
    free(t);
  }
  for (int i = 0; i < n; i++) {
    a[i] = 0.0f;
  }
}
""",
        (
            Wrong("    free(t);\n", "", "OG320", "MALLOC1"),
            Wrong("t[0] = 1.0f", "t[n] = 1.0f", "OG302", "t[n] = 1.0f"),
            Wrong("n > 5", "n > t", "OG100", "n > t", "MALFORMED"),
        ),
    ),
    Pair(
        "copy_to",
        """void copy(int n, float x[n], float y[n]) {
  __requires("X: int -> float");
  __reads("x ~> Matrix1(n, X)");
  __writes("y ~> Matrix1(n, X)");
  for (int i = 0; i < n; i++) {
    y[i] = x[i];
  }
}
void copy_to(int n, float a[n], float b[n]) {
  __requires("A: int -> float");
  __reads("a ~> Matrix1(n, A)");
  __writes("b ~> Matrix1(n, A)");
  copy(n, a, b);
}
""",
        (
            Wrong("copy(n, a, b);", "copy(n, b, a);", "OG316", "copy(n, b, a)"),
            Wrong("copy(n, a, b);", "copy(n, b, b);", "OG316", "copy(n, b, b)"),
            Wrong("copy(n, a, b);", "copy(n - 1, a, b);", "OG315", "copy(n - 1, a, b)"),
            Wrong("copy(n, a, b);", "copy(n, a, &b[1]);", "OG316", "copy(n, a, &b[1])"),
            Wrong("copy(n, a, b);", ";", "OG306", '__writes("b'),
            Wrong("y[i] = x[i]", "y[i] = 0.0f", "OG305", '__writes("y'),
        ),
    ),
    Pair(
        "rows",
        """void zero(int n, float row[n]) {
  __writes("row ~> Matrix1(n, fun j -> 0)");
  for (int j = 0; j < n; j++) {
    row[j] = 0.0f;
  }
}
void rows(int h, int w, float a[h][w]) {
  __writes("a ~> Matrix2(h, w, fun i j -> 0)");
  for (int i = 0; i < h; i++) {
    zero(w, a[i]);
  }
}
""",
        (
            Wrong("zero(w, a[i])", "zero(h, a[i])", "OG302", "zero(h, a[i])"),
            Wrong("zero(w, a[i])", "zero(w, a[0])", "OG306", "__writes(\"a"),
            Wrong("zero(w, a[i])", "zero(w, &a[i][1])", "OG302", "zero(w, &a[i][1])"),
            Wrong("i < h", "i <= h", "OG302", "zero(w, a[i])"),
        ),
    ),
    Pair(
        "layout",
        """void diagonal(int n, int w, float m[n][w]) {
  __requires("n <= w");
  __writes("for i in 0..n -> &m[i][i] ~~> 1");
  for (int i = 0; i < n; i++) {
    m[i][i] = 1.0f;
  }
}
void layout(int n, float a[n][n]) {
  __consumes("a ~> Cells2(n, n)");
  __produces("a ~> Cells2(n, n)");
  diagonal(n, n, a);
}
""",
        (
            Wrong("diagonal(n, n, a)", "diagonal(n, n + 1, a)", "OG317", "diagonal(n, n + 1, a)"),
            Wrong("m[i][i] = 1.0f", "m[0][i] = 1.0f", "OG302", "m[0][i] = 1.0f"),
        ),
    ),
    Pair(
        "divide",
        """int divide(int a, int b) {
  __requires("b > 0 && a >= 0");
  __ensures("_Res * b <= a && a < (_Res + 1) * b");
  return a / b;
}
int remainder_of(int a) {
  __requires("a >= 0");
  __ensures("0 <= _Res && _Res < 8");
  return a % 8;
}
float mean(int n, float s) {
  __requires("n > 0");
  __ensures("_Res * n == s");
  return s / n;
}
""",
        (
            Wrong("b > 0 &&", "b >= 0 &&", "OG310", "a / b"),
            Wrong('"b > 0 && a >= 0"', '"b > 0"', "OG307", "__ensures"),
            Wrong('__requires("a >= 0");\n  __ensures("0', '__requires("a >= -9");\n  __ensures("0', "OG307", '"0 <= _Res'),
            Wrong('"n > 0"', '"n >= 0"', "OG310", "s / n"),
            Wrong("_Res < 8", "_Res < 7", "OG307", '"0 <= _Res'),
        ),
    ),
    Pair(
        "bits",
        """int bits(int a, int k) {
  __requires("a >= 0 && k >= 0 && k < 8 && a < 1000000");
  __ensures("_Res >= 0");
  return (a & 31) + (a >> k);
}
""",
        (
            Wrong("k >= 0 && ", "", "OG312", "a >> k"),
            Wrong("a >= 0 && ", "", "OG312", "a & 31"),
            Wrong("_Res >= 0", "_Res > 0", "OG307", "__ensures"),
        ),
    ),
    Pair(
        "narrow",
        """void narrow(int n, int8_t a[n]) {
  __requires("n <= 100");
  __writes("a ~> Matrix1(n, fun i -> i)");
  for (int i = 0; i < n; i++) {
    a[i] = i;
  }
}
""",
        (Wrong("n <= 100", "n <= 1000", "OG313", "a[i] = i"), Wrong("a[i] = i;", "a[i] = -i;", "OG305", "__writes")),
    ),
    Pair(
        "empty_ranges",
        """int empty_ranges(int n, int m) {
  __requires("n >= 0 && m >= 0");
  __ensures("_Res == n");
  int x = 0;
  for (int i = 0; i < n; i++) {
    x += 1;
  }
  return x;
}
""",
        (
            Wrong("n >= 0 && m >= 0", "m >= 0", "OG307", "__ensures"),
            Wrong("i++", "i += 2", "OG307", "__ensures"),
            Wrong("_Res == n", "_Res == m", "OG307", "__ensures"),
            Wrong("x += 1", "x = i", "OG307", "__ensures"),
        ),
    ),
    Pair(
        "last_value",
        """int last_value(int n) {
  __requires("n > 0");
  __ensures("_Res == n - 1");
  int x = -5;
  for (int i = 0; i < n; i++) {
    x = i;
  }
  return x;
}
""",
        (
            Wrong("n > 0", "n >= 0", "OG307", "__ensures"),
            Wrong("_Res == n - 1", "_Res == n", "OG307", "__ensures"),
            Wrong("i < n; i++", "i < n; i += 2", "OG307", "__ensures"),
            Wrong("int x = -5", "int x", "", "", "VERIFIED"),
        ),
    ),
    Pair(
        "down",
        """int down(int n) {
  __requires("n >= 0");
  __ensures("_Res == n");
  int x = 0;
  for (int i = n; i > 0; i -= 1) {
    x += 1;
  }
  return x;
}
""",
        (
            Wrong("i > 0", "i >= 0", "OG307", "__ensures"),
            Wrong("n >= 0", "n >= -3", "OG307", "__ensures"),
            Wrong("i -= 1", "i -= 3", "OG307", "__ensures"),
        ),
    ),
    Pair(
        "steps",
        """int steps(int n, int k) {
  __requires("n >= 0 && k > 0");
  __ensures("_Res >= 0");
  int x = 0;
  for (int i = 0; i < n; i += k) {
    x += 1;
  }
  return x;
}
""",
        (Wrong("k > 0", "k >= 0", "OG325", "i += k"), Wrong("_Res >= 0", "_Res > 0", "OG307", "__ensures")),
    ),
    Pair(
        "parallel",
        """void parallel(int n, float a[n], float b[n]) {
  __requires("A: int -> float, B: int -> float");
  __consumes("a ~> Matrix1(n, A)");
  __produces("a ~> Matrix1(n, fun i -> A(i) + B(i))");
  __reads("b ~> Matrix1(n, B)");
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    float x = b[i];
    a[i] += x;
  }
}
""",
        (
            Wrong("a[i] += x", "a[0] += x", "OG324", "a[0] += x"),
            Wrong("a[i] += x", "a[i / 2] += x", "OG324", "a[i / 2] += x"),
            Wrong("a[i] += x", "a[i] = a[i] + a[(i + 1) % n]", "OG324", "a[i] ="),
            Wrong("a[i] += x", "if (i > 0) a[i] += a[i - 1]", "OG324", "a[i] +="),
            Wrong("float x = b[i]", "float x = b[i + 1]", "OG302", "b[i + 1]"),
            Wrong("A(i) + B(i)", "A(i) - B(i)", "OG305", "__produces"),
        ),
    ),
    Pair(
        "private_scratch",
        """void private_scratch(int n, float a[n]) {
  __writes("a ~> Matrix1(n, fun i -> 3)");
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    float t[4];
    t[0] = 1.0f;
    t[1] = 2.0f;
    a[i] = t[0] + t[1];
  }
}
""",
        (
            Wrong("    float t[4];\n", "", "OG100", "t[0]", "MALFORMED"),
            Wrong("t[1] = 2.0f", "t[2] = 2.0f", "OG304", "a[i] = t[0] + t[1]"),
            Wrong("t[1] = 2.0f", "t[4] = 2.0f", "OG302", "t[4] = 2.0f"),
        ),
    ),
    Pair(
        "shared_scratch",
        """void shared_scratch(int n, float a[n]) {
  __writes("a ~> Matrix1(n, fun i -> i)");
  float t[1];
  for (int i = 0; i < n; i++) {
    t[0] = i;
    a[i] = t[0];
  }
}
""",
        (Wrong("  for", "  #pragma omp parallel for\n  for", "OG324", "t[0] = i"),),
    ),
    Pair(
        "invariant",
        """int invariant(int n) {
  __requires("n >= 0, n <= 1000");
  __ensures("_Res == n * n");
  int x = 0;
  for (int i = 0; i < n; i++) {
    __spreserves("&x ~~> i * i");
    x = x + 2 * i + 1;
  }
  return x;
}
""",
        (
            Wrong("&x ~~> i * i", "&x ~~> i * i + 1", "OG318", "for (int i"),
            Wrong("&x ~~> i * i", "&x ~~> i * (i + 1)", "OG318", "for (int i"),
            Wrong("2 * i + 1", "2 * i", "OG318", "for (int i"),
            Wrong("int x = 0", "int x = 1", "OG318", "for (int i"),
            Wrong('"n >= 0,', '"n >= -1,', "OG307", "__ensures"),
        ),
    ),
    Pair(
        "asserted",
        """int asserted(int n) {
  __requires("n >= 2, n <= 1000");
  __ensures("_Res >= 1");
  int x = n;
  x = x * n;
  __ASSERT("x >= n");
  return x - n + 1;
}
""",
        (Wrong("x >= n", "x > n * n", "OG321", "__ASSERT"), Wrong("x = x * n", "x = x + n - 3", "OG321", "__ASSERT")),
    ),
    Pair(
        "ghostly",
        """__GHOST(double_is_even) {
  __requires("n: int");
  __ensures("even: (2 * n) % 2 == 0");
}
int ghostly(int n) {
  __requires("n >= 0, n <= 1000");
  __ensures("_Res % 2 == 0");
  __ghost(double_is_even, "n");
  return 2 * n;
}
""",
        (
            Wrong("(2 * n) % 2 == 0", "(2 * n) % 2 == 1", "OG322", "__ghost", "UNPROVED"),
            Wrong("(2 * n) % 2 == 0", "n % 2 == 0", "OG322", "__ghost", "UNPROVED"),
        ),
    ),
    Pair(
        "claims",
        """void claims(int n, float a[n]) {
  __requires("size: n >= 4");
  __consumes("for i in 0..2 -> &a[i] ~> Cell, for i in 2..n -> &a[i] ~> Cell");
  __produces("for i in 0..2 -> &a[i] ~> Cell, for i in 2..n -> &a[i] ~> Cell");
  a[0] = 1.0f;
  a[3] = 2.0f;
}
""",
        (
            Wrong(TWO_CLAIMS + END, f"{CELL.format('0..2', 'i')}, {CELL.format('1..n', 'i')}{END}", "OG323", "__consumes"),
            Wrong(TWO_CLAIMS + END, f"{CELL.format('0..2', '0')}, {CELL.format('2..n', 'i')}{END}", "OG323", "__consumes"),
            Wrong("n >= 4", "n >= 3", "OG302", "a[3] = 2.0f"),
            Wrong('2..n -> &a[i] ~> Cell");\n  a[0]', '3..n -> &a[i] ~> Cell");\n  a[0]', "OG308", "", "UNPROVED"),
        ),
    ),
    Pair(
        "truncation",
        """int truncation(int n) {
  __requires("n >= -10 && n <= 10");
  __ensures("_Res == (n < 0 ? 0 - (0 - n) / 2 : n / 2)");
  return n / 2;
}
""",
        (
            Wrong("(n < 0 ? 0 - (0 - n) / 2 : n / 2)", "(n < 0 ? (n - 1) / 2 : n / 2)", "OG307", "__ensures"),
            Wrong("return n / 2", "return n >> 1", "OG312", "n >> 1"),
        ),
    ),
    Pair(
        "histogram",
        """void histogram(int n, int bins, int keys[n], int counts[bins]) {
  __requires("K: int -> int, in_bins: forall i in 0..n -> 0 <= K(i) && K(i) < bins");
  __reads("keys ~> Matrix1(n, K)");
  __writes("counts ~> Matrix1(bins, fun b -> Sum(i in 0..n, K(i) == b ? 1 : 0))");
  for (int b = 0; b < bins; b++) {
    counts[b] = 0;
  }
  for (int i = 0; i < n; i++) {
    counts[keys[i]] += 1;
  }
}
""",
        (
            Wrong("counts[keys[i]] += 1", "counts[keys[i]] += 2", "OG305", "__writes"),
            Wrong("counts[keys[i]] += 1", "counts[i] += 1", "OG302", "counts[i] += 1"),
            Wrong("K(i) < bins", "K(i) <= bins", "OG302", "counts[keys[i]]"),
            Wrong("  for (int i", "  #pragma omp parallel for\n  for (int i", "OG324", "counts[keys[i]] += 1"),
            Wrong("K(i) == b", "K(i) != b", "OG305", "__writes"),
        ),
    ),
    Pair(
        "maximum",
        """float maximum(int n, float a[n]) {
  __requires("A: int -> float, some: n > 0");
  __reads("a ~> Matrix1(n, A)");
  __ensures("_Res == Max(i in 0..n, A(i))");
  float m = a[0];
  for (int i = 1; i < n; i++) {
    if (a[i] > m) {
      m = a[i];
    }
  }
  return m;
}
""",
        (
            Wrong("a[i] > m", "a[i] < m", "OG307", "__ensures"),
            Wrong("float m = a[0]", "float m = 0.0f", "OG307", "__ensures"),
            Wrong("Max(i in 0..n", "Max(i in 0..n - 1", "OG361", "__ensures", verdict="UNPROVED"),
            Wrong("i < n; i++", "i < n - 1; i++", "OG307", "__ensures"),
            Wrong("Max(i in 0..n", "Max(i in 0..max(n - 1, 1)", "OG307", "__ensures"),
            Wrong("some: n > 0", "some: n > 0, few: n < 1", "OG360", "__requires", verdict="UNPROVED"),
        ),
    ),
    Pair(
        "prefix",
        """void prefix(int n, float a[n], float out[n]) {
  __requires("A: int -> float, some: n > 0");
  __reads("a ~> Matrix1(n, A)");
  __writes("out ~> Matrix1(n, fun i -> Sum(j in 0..i + 1, A(j)))");
  out[0] = a[0];
  for (int i = 1; i < n; i++) {
    out[i] = out[i - 1] + a[i];
  }
}
""",
        (
            Wrong("out[i - 1] + a[i]", "out[i - 1] + a[i - 1]", "OG305", "__writes"),
            Wrong("out[i - 1] + a[i]", "out[i] + a[i]", "OG304", "out[i] + a[i]"),
            Wrong("Sum(j in 0..i + 1", "Sum(j in 0..i", "OG305", "__writes"),
            Wrong("  for", "  #pragma omp parallel for\n  for", "OG324", "out[i] ="),
            Wrong("out[0] = a[0]", "out[0] = 0.0f", "OG305", "__writes"),
        ),
    ),
    Pair(
        "prefix_of_rows",
        """void prefix_of_rows(int m, int n, float x[m][n]) {
  __requires("A: int * int -> float, some: n > 0, rows: m >= 0");
  __consumes("x ~> Matrix2(m, n, A)");
  __produces("x ~> Matrix2(m, n, fun i j -> Sum(k in 0..j + 1, A(i, k)))");
  for (int i = 0; i < m; i++) {
    for (int c = 1; c < n; c++) {
      x[i][c] = x[i][c - 1] + x[i][c];
    }
  }
}
""",
        (
            Wrong("x[i][c - 1] + x[i][c]", "x[i][c - 1] * x[i][c - 1]", "OG305", "__produces"),
            Wrong("x[i][c] = x[i][c - 1] + x[i][c]", "x[0][c] = x[0][c - 1] * x[0][c - 1]", "OG305", "__produces"),
            Wrong("Sum(k in 0..j + 1", "Sum(k in 0..j", "OG305", "__produces"),
            Wrong("c = 1", "c = 0", "OG302", "x[i][c] ="),
            Wrong("c < n", "c < n - 1", "OG305", "__produces"),
        ),
    ),
    Pair(
        "behind",
        """int behind(int n, int a[n]) {
  __requires("A: int -> int, some: n > 0");
  __reads("a ~> Matrix1(n, A)");
  __ensures("_Res == A(n - 1)");
  int* const p = &a[n];
  return p[-1];
}
""",
        (Wrong("&a[n];\n  return p[-1]", "&a[n + 1];\n  return p[-2]", "OG335", "&a[n + 1]"),),
    ),
]  # fmt: skip


def cases() -> list[tuple[str, Pair, Wrong]]:
    return [(f"{p.name}-{i}", p, w) for p in PAIRS for i, w in enumerate(p.wrong)]
