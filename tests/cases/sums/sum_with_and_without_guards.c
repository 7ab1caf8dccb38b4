// A sum in tiles, without guards where a tile is whole and rows are aligned.
// expect: VERIFIED
// mutate: "8 * t + 7 < n" -> "8 * t + 6 < n" => REFUTED[OG302] 1st a[8 * t + i]
// mutate: "8 * t + i < n" -> "8 * t + i < n - 1" => REFUTED[OG305] &b[0] ~~> Sum(k in 0..n, A(k))

void f(int n, int m, float a[n], float b[1]) {
  __requires("A: int -> float");
  __reads("a ~> Matrix1(n, A)");
  __writes("&b[0] ~~> Sum(k in 0..n, A(k))");
  float x = 0.0f;
  for (int t = 0; t < (n + 7) / 8; t++) {
    if (8 * t + 7 < n && m % 4 == 0) {
      for (int i = 0; i < 8; i++) {
        x += a[8 * t + i];
      }
    } else {
      for (int i = 0; i < 8; i++) {
        if (8 * t + i < n) {
          x += a[8 * t + i];
        }
      }
    }
  }
  b[0] = x;
}
