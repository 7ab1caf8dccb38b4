// Products of elements of a symmetric matrix, inside a sum: the hypothesis is about pairs, and products are opaque to the solver.
// expect: VERIFIED
// mutate: "A(i,k) == A(k,i)\");" -> "A(i,k) == A(k,k)\");" => UNPROVED[OG305] y ~> Matrix1(n, fun i -> Sum(k in 0..n, A(i,k) * A(i,k) * X(k)))
// mutate: "a[i][k] * a[k][i]" -> "a[i][k] * a[k][k]" => REFUTED[OG305] y ~> Matrix1(n, fun i -> Sum(k in 0..n, A(i,k) * A(i,k) * X(k)))

void squares(int n, float a[n][n], float x[n], float y[n]) {
  __requires("A: int * int -> float, X: int -> float");
  __requires("forall i k, A(i,k) == A(k,i)");
  __reads("a ~> Matrix2(n, n, A), x ~> Matrix1(n, X)");
  __writes("y ~> Matrix1(n, fun i -> Sum(k in 0..n, A(i,k) * A(i,k) * X(k)))");
  for (int i = 0; i < n; i++) {
    float s = 0;
    for (int k = 0; k < n; k++) s += a[i][k] * a[k][i] * x[k];
    y[i] = s;
  }
}
