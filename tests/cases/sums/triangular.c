// A product of triangular matrices, whose zeros are known and skipped.
// expect: VERIFIED
// mutate: "k = j; k <= i" -> "k = j + 1; k <= i" => REFUTED[OG305] c ~> Matrix2(n, n, fun i j -> Sum(k in 0..n, A(i, k) * B(k, j)))
// mutate: "k = j; k <= i" -> "k = j; k < i" => REFUTED[OG305] c ~> Matrix2(n, n, fun i j -> Sum(k in 0..n, A(i, k) * B(k, j)))
// mutate: "i < k && k < n) -> A(i, k)" -> "i < k && k < n - 1) -> A(i, k)" => REFUTED[OG305]
//   c ~> Matrix2(n, n, fun i j -> Sum(k in 0..n, A(i, k) * B(k, j)))
// mutate: "A(i, k) =. 0" -> "A(i, k) =. 1" => REFUTED[OG305] c ~> Matrix2(n, n, fun i j -> Sum(k in 0..n, A(i, k) * B(k, j)))

void triangular(int n, float a[n][n], float b[n][n], float c[n][n]) {
  __requires("A: int * int -> float, B: int * int -> float");
  __requires("forall (i: int) (k: int) (h: 0 <= i && i < k && k < n) -> A(i, k) =. 0");
  __requires("forall (i: int) (k: int) (h: 0 <= i && i < k && k < n) -> B(i, k) =. 0");
  __reads("a ~> Matrix2(n, n, A), b ~> Matrix2(n, n, B)");
  __writes("c ~> Matrix2(n, n, fun i j -> Sum(k in 0..n, A(i, k) * B(k, j)))");
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      float s = 0.0f;
      for (int k = j; k <= i; k++) {
        s += a[i][k] * b[k][j];
      }
      c[i][j] = s;
    }
  }
}
