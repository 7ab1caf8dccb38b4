// The sum over rows of a logarithm of a sum, which is computed from the sums of tiles.
// expect: VERIFIED
// mutate: "8 * t + j < w" -> "8 * t + j < w - 1" => REFUTED[OG333] logf(total)
// mutate: "sum += r[i]" -> "sum += 2.0f * r[i]" => REFUTED[OG305]
//   &b[0] ~~> Sum(i in 0..h, logf(Sum(j in 0..w, expf(A(i, j)))))

void f(int h, int w, float a[h][w], float r[h], float b[1]) {
  __requires("A: int * int -> float, w > 0");
  __reads("a ~> Matrix2(h, w, A)");
  __modifies("r ~> Cells1(h)");
  __writes("&b[0] ~~> Sum(i in 0..h, logf(Sum(j in 0..w, expf(A(i, j)))))");
  for (int i = 0; i < h; i++) {
    float total = 0.0f;
    for (int t = 0; t < (w + 7) / 8; t++) {
      for (int j = 0; j < 8; j++) {
        if (8 * t + j < w) {
          total += expf(a[i][8 * t + j]);
        }
      }
    }
    r[i] = logf(total);
  }
  float sum = 0.0f;
  for (int i = 0; i < h; i++) {
    sum += r[i];
  }
  b[0] = sum;
}
