// A fact about a sum is used at the rows of which that sum occurs.
// expect: VERIFIED
// mutate: "forall i in 0..n -> Sum" -> "forall i in 0..n / 2 -> Sum" => REFUTED[OG305] y ~> Matrix1(n, fun i -> 1)
// mutate: "Sum(j in 0..m, P(i,j)) == 1" -> "Sum(j in 1..m, P(i,j)) == 1" => REFUTED[OG305] y ~> Matrix1(n, fun i -> 1)

void rows(int n, int m, float p[n][m], float y[n]) {
  __requires("P: int * int -> float");
  __requires("forall i in 0..n -> Sum(j in 0..m, P(i,j)) == 1");
  __reads("p ~> Matrix2(n, m, P)");
  __writes("y ~> Matrix1(n, fun i -> 1)");
  for (int i = 0; i < n; i++) {
    float s = 0;
    for (int j = 0; j < m; j++) s += p[i][j];
    y[i] = s;
  }
}
