// Sums of one term whose index has a factor: which summand it is, or that there is none, depends on a remainder.
// expect: VERIFIED
// mutate: "a[(i - c) / 3]" -> "a[i / 3]" => REFUTED[OG302] a[i / 3]
// mutate: "0 <= i - c && (i - c) % 3 == 0" -> "0 <= i - c" => REFUTED[OG305]
//   x ~> Matrix1(m, fun i -> Sum(k in 0..n, 3 * k + c == i ? A(k) : 0))
// mutate: "3 * k + c == i" -> "3 * k == i" => REFUTED[OG305] x ~> Matrix1(m, fun i -> Sum(k in 0..n, 3 * k == i ? A(k) : 0))

void every_third(int n, int m, int c, float a[n], float x[m]) {
  __requires("A: int -> float");
  __requires("c >= 0");
  __reads("a ~> Matrix1(n, A)");
  __writes("x ~> Matrix1(m, fun i -> Sum(k in 0..n, 3 * k + c == i ? A(k) : 0))");
  for (int i = 0; i < m; i++) {
    x[i] = 0.0f;
    if (0 <= i - c && (i - c) % 3 == 0 && (i - c) / 3 < n) {
      x[i] = a[(i - c) / 3];
    }
  }
}
