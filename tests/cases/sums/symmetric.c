// A product with a symmetric matrix of which one half is read.
// expect: VERIFIED
// mutate: "k = i + 1" -> "k = i" => REFUTED[OG305] c ~> Matrix2(n, n, fun i j -> Sum(k in 0..n, A(i, k) * B(k, j)))
// mutate: "A(i, k) =. A(k, i)" -> "A(i, k) =. -A(k, i)" => UNPROVED[OG305]
//   c ~> Matrix2(n, n, fun i j -> Sum(k in 0..n, A(i, k) * B(k, j)))
// mutate: "A(i, k) =. A(k, i)" -> "A(i, k) =. A(k, k)" => UNPROVED[OG305]
//   c ~> Matrix2(n, n, fun i j -> Sum(k in 0..n, A(i, k) * B(k, j)))

void symmetric(int n, float a[n][n], float b[n][n], float c[n][n]) {
  __requires("A: int * int -> float, B: int * int -> float");
  __requires("forall (i: int) (k: int) (h: 0 <= i && i < n && 0 <= k && k < n) -> A(i, k) =. A(k, i)");
  __reads("a ~> Matrix2(n, n, A), b ~> Matrix2(n, n, B)");
  __writes("c ~> Matrix2(n, n, fun i j -> Sum(k in 0..n, A(i, k) * B(k, j)))");
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      float s = 0.0f;
      for (int k = 0; k <= i; k++) {
        s += a[i][k] * b[k][j];
      }
      for (int k = i + 1; k < n; k++) {
        s += a[k][i] * b[k][j];
      }
      c[i][j] = s;
    }
  }
}
