// Accumulators of which only those under a guard are initialised, changed and used; the sum is in tiles, the last of which is shorter.
// expect: VERIFIED
// run: clean
// also: annotated, replay
// mutate: "sum[i] = 0.0f" -> "sum[i] = 1.0f" => REFUTED[OG305] c ~> Matrix1(m, fun i -> Sum(k in 0..p, A(i, k)))
// mutate: "2 * bk + k < p" -> "2 * bk + k < p - 1" => REFUTED[OG305] c ~> Matrix1(m, fun i -> Sum(k in 0..p, A(i, k)))
// mutate: "2 * bk + k < p" -> "2 * bk + k <= p" => REFUTED[OG302] a[4 * bi + i][2 * bk + k]
// mutate: "if (4 * bi + i < m) {\n        sum[i]" -> "if (4 * bi + i < m - 1) {\n        sum[i]"
//   => REFUTED[OG304] sum[i] += a[4 * bi + i][2 * bk + k];
// mutate: "if (4 * bi + i < m && 2" -> "if (4 * bi + i <= m && 2" => REFUTED[OG302] a[4 * bi + i][2 * bk + k]

void rows(int m, int p, float a[m][p], float c[m]) {
  __requires("A: int * int -> float");
  __reads("a ~> Matrix2(m, p, A)");
  __writes("c ~> Matrix1(m, fun i -> Sum(k in 0..p, A(i, k)))");
  for (int bi = 0; bi < (m + 3) / 4; bi++) {
    float sum[4];
    for (int i = 0; i < 4; i++) {
      if (4 * bi + i < m) {
        sum[i] = 0.0f;
      }
    }
    for (int bk = 0; bk < (p + 1) / 2; bk++) {
      for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 2; k++) {
          if (4 * bi + i < m && 2 * bk + k < p) {
            sum[i] += a[4 * bi + i][2 * bk + k];
          }
        }
      }
    }
    for (int i = 0; i < 4; i++) {
      if (4 * bi + i < m) {
        c[4 * bi + i] = sum[i];
      }
    }
  }
}
