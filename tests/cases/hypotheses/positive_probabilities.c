// KL divergence: logarithms of probabilities that are positive.
// expect: VERIFIED
// mutate: "P(i,j) > 0 && Q(i,j) > 0" -> "P(i,j) > 0 && Q(i,j) >= 0" => UNPROVED[OG361] logf(Q(i,j))
// mutate: "forall j in 0..m -> " -> "forall j in 0..m / 2 -> " => UNPROVED[OG361] logf(P(i,j))

void kl(int n, int m, float p[n][m], float q[n][m], float y[n]) {
  __requires("P: int * int -> float, Q: int * int -> float");
  __requires("forall i in 0..n -> forall j in 0..m -> P(i,j) > 0 && Q(i,j) > 0");
  __reads("p ~> Matrix2(n, m, P), q ~> Matrix2(n, m, Q)");
  __writes("y ~> Matrix1(n, fun i -> Sum(j in 0..m, P(i,j) * (logf(P(i,j)) - logf(Q(i,j)))))");
  for (int i = 0; i < n; i++) {
    float s = 0;
    for (int j = 0; j < m; j++) s += p[i][j] * (logf(p[i][j]) - logf(q[i][j]));
    y[i] = s;
  }
}
