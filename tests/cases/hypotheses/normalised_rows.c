// Rows whose sums are positive can be divided by them.
// expect: VERIFIED
// mutate: "P(i,j)) > 0" -> "P(i,j)) >= 0" => UNPROVED[OG361] P(i,j) / Sum(k in 0..m, P(i,k))

void rows2(int n, int m, float p[n][m], float y[n][m]) {
  __requires("P: int * int -> float");
  __requires("forall i in 0..n -> Sum(j in 0..m, P(i,j)) > 0");
  __reads("p ~> Matrix2(n, m, P)");
  __writes("y ~> Matrix2(n, m, fun i j -> P(i,j) / Sum(k in 0..m, P(i,k)))");
  for (int i = 0; i < n; i++) {
    float s = 0;
    for (int j = 0; j < m; j++) s += p[i][j];
    for (int j = 0; j < m; j++) y[i][j] = p[i][j] / s;
  }
}
