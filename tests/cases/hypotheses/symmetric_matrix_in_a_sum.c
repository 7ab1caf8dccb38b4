// A symmetric matrix: its columns are its rows, also inside a sum.
// expect: VERIFIED
// also: replay
// mutate: "forall k in 0..n -> " -> "forall k in 2..n -> " => REFUTED[OG305] y ~> Matrix1(n, fun i -> Sum(k in 0..n, A(i,k) * X(k)))
// mutate: "A(i,k) == A(k,i)\");" -> "A(i,k) == A(i,k)\");" => REFUTED[OG305] y ~> Matrix1(n, fun i -> Sum(k in 0..n, A(i,k) * X(k)))

void sym(int n, float a[n][n], float x[n], float y[n]) {
  __requires("A: int * int -> float, X: int -> float");
  __requires("forall i in 0..n -> forall k in 0..n -> A(i,k) == A(k,i)");
  __reads("a ~> Matrix2(n, n, A), x ~> Matrix1(n, X)");
  __writes("y ~> Matrix1(n, fun i -> Sum(k in 0..n, A(i,k) * X(k)))");
  for (int i = 0; i < n; i++) {
    float s = 0;
    for (int k = 0; k < n; k++) s += a[k][i] * x[k];
    y[i] = s;
  }
}
