// A fact about all elements of an array: the ranges are its sizes.
// expect: VERIFIED
// run: clean
// mutate: "P(i,j) > 0\");" -> "P(i,j) >= 0\");" => UNPROVED[OG361] logf(P(i,j))
// mutate: "forall i j, P(i,j) > 0" -> "forall i j, i > 0 -> P(i,j) > 0" => UNPROVED[OG361] logf(P(i,j))

void kl2(int n, int m, float p[n][m], float y[n][m]) {
  __requires("P: int * int -> float");
  __requires("forall i j, P(i,j) > 0");
  __reads("p ~> Matrix2(n, m, P)");
  __writes("y ~> Matrix2(n, m, fun i j -> logf(P(i,j)))");
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) y[i][j] = logf(p[i][j]);
}
