// A symmetric matrix equals its transpose: a fact about pairs.
// expect: VERIFIED
// mutate: "forall k in 0..n -> " -> "forall k in 0..n - 2 -> " => REFUTED[OG305] y ~> Matrix2(n, n, A)
// mutate: "A(i,k) == A(k,i)\");" -> "A(i,k) == A(k,k)\");" => REFUTED[OG305] y ~> Matrix2(n, n, A)

void symcell(int n, float a[n][n], float y[n][n]) {
  __requires("A: int * int -> float");
  __requires("forall i in 0..n -> forall k in 0..n -> A(i,k) == A(k,i)");
  __reads("a ~> Matrix2(n, n, A)");
  __writes("y ~> Matrix2(n, n, A)");
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) y[i][k] = a[k][i];
}
