// A product with a diagonal matrix, which is written as a sum over all columns.
// expect: VERIFIED
// mutate: "a[i] * b[i][j]" -> "a[j] * b[i][j]" => REFUTED[OG302] a[j]
// mutate: "a[i] * b[i][j]" -> "b[i][j]" => REFUTED[OG305]
//   c ~> Matrix2(n, m, fun i j -> Sum(k in 0..n, (i == k ? A(i) : 0) * B(k, j)))
// mutate: "i == k" -> "i <= k" => REFUTED[OG305] c ~> Matrix2(n, m, fun i j -> Sum(k in 0..n, (i <= k ? A(i) : 0) * B(k, j)))

void diagonal(int n, int m, float a[n], float b[n][m], float c[n][m]) {
  __requires("A: int -> float, B: int * int -> float");
  __reads("a ~> Matrix1(n, A), b ~> Matrix2(n, m, B)");
  __writes("c ~> Matrix2(n, m, fun i j -> Sum(k in 0..n, (i == k ? A(i) : 0) * B(k, j)))");
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) {
      c[i][j] = a[i] * b[i][j];
    }
  }
}
