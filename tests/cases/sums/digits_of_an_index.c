// A loop over all chunks of channels and all taps of a filter: the digits of its index say which.
// expect: VERIFIED
// mutate: "s / 3 % 3" -> "s / 9 % 3" => REFUTED[OG305] &y[0] ~~> Sum(c in 0..n, p in 0..3, q in 0..3, X(c, p, q))
// mutate: "s < 9 * ((n + 15) / 16)" -> "s < 9 * (n / 16)" => REFUTED[OG305] &y[0] ~~> Sum(c in 0..n, p in 0..3, q in 0..3, X(c, p, q))

void taps(int n, float x[n][3][3], float y[1]) {
  __requires("X: int * int * int -> float, n >= 0, n < 1000000");
  __reads("x ~> Matrix3(n, 3, 3, X)");
  __writes("&y[0] ~~> Sum(c in 0..n, p in 0..3, q in 0..3, X(c, p, q))");
  float sum = 0.0f;
  for (int s = 0; s < 9 * ((n + 15) / 16); s++) {
    for (int a = 0; a < 2; a++) {
      for (int b = 0; b < 8; b++) {
        if (16 * (s / 9) + 8 * a + b < n) {
          sum += x[16 * (s / 9) + 8 * a + b][s / 3 % 3][s % 3];
        }
      }
    }
  }
  y[0] = sum;
}
