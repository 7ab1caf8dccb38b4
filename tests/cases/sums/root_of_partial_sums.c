// The root of a sum is a divisor. The sum is computed from sums over every fourth tile, whose ranges are not adjacent.
// expect: VERIFIED
// mutate: "16 * k + 4 * u" -> "16 * k + 8 * u" => REFUTED[OG310] a[i] / root
// mutate: "sqrtf(squares)" -> "sqrtf(squares + 1.0f)" => REFUTED[OG305]
//   b ~> Matrix1(n, fun i -> A(i) / sqrtf(Sum(k in 0..n, A(k) * A(k))))

void f(int n, float a[n], float b[n]) {
  __requires("A: int -> float");
  __requires("Sum(k in 0..n, A(k) * A(k)) >. 0.0f");
  __reads("a ~> Matrix1(n, A)");
  __writes("b ~> Matrix1(n, fun i -> A(i) / sqrtf(Sum(k in 0..n, A(k) * A(k))))");
  float squares = 0.0f;
  for (int t = 0; t < 4; t++) {
    for (int k = 0; k < (n + 15) / 16; k++) {
      for (int u = 0; u < 4; u++) {
        const int i = t + 16 * k + 4 * u;
        if (i < n) {
          squares += a[i] * a[i];
        }
      }
    }
  }
  const float root = sqrtf(squares);
  for (int i = 0; i < n; i++) {
    b[i] = a[i] / root;
  }
}
