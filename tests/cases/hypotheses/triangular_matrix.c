// A triangular matrix: variables of a forall without type and range are indices of the array that holds the function.
// expect: VERIFIED
// run: clean
// also: replay
// mutate: "k > i -> A" -> "k > i + 1 -> A" => REFUTED[OG305] y ~> Matrix2(n, n, A)
// mutate: "forall i k, k > i" -> "forall (i: int) (k: int), k > i" => UNPROVED[OG361] A(i,k)
// mutate: "k > i -> A(i,k) == 0" -> "k > i -> A(i,k) == 0 && A(i + 1,k) == 0" => UNPROVED[OG361] A(i,k)

void tri(int n, float a[n][n], float y[n][n]) {
  __requires("A: int * int -> float");
  __requires("forall i k, k > i -> A(i,k) == 0");
  __reads("a ~> Matrix2(n, n, A)");
  __writes("y ~> Matrix2(n, n, A)");
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) y[i][k] = k > i ? 0 : a[i][k];
}
