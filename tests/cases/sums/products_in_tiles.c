// A product in tiles: each tile by itself, then the products of the tiles.
// expect: VERIFIED
// mutate: "x *= t[k]" -> "x += t[k]" => REFUTED[OG305] &b[0] ~~> Prod(k in 0..n, A(k))
// mutate: "8 * k + i < n" -> "8 * k + i < n - 1" => REFUTED[OG305] &b[0] ~~> Prod(k in 0..n, A(k))

void f(int n, float a[n], float t[(n + 7) / 8], float b[1]) {
  __requires("A: int -> float");
  __reads("a ~> Matrix1(n, A)");
  __modifies("t ~> Cells1((n + 7) / 8)");
  __writes("&b[0] ~~> Prod(k in 0..n, A(k))");
  for (int k = 0; k < (n + 7) / 8; k++) {
    float part = 1.0f;
    for (int i = 0; i < 8; i++) {
      if (8 * k + i < n) {
        part *= a[8 * k + i];
      }
    }
    t[k] = part;
  }
  float x = 1.0f;
  for (int k = 0; k < (n + 7) / 8; k++) {
    x *= t[k];
  }
  b[0] = x;
}
