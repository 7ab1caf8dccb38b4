// A matrix of zeros with ones on its diagonal.
// expect: VERIFIED
// also: annotated
// mutate: "if (i == j)" -> "if (i == j + 1)" => REFUTED[OG305] a ~> Matrix2(n, m, fun i j -> i == j ? 1 : 0)
// mutate: "a[i][j] = 1" -> "a[j][i] = 2" => REFUTED[OG305] a ~> Matrix2(n, m, fun i j -> i == j ? 1 : 0)

void identity(int n, int m, float a[n][m]) {
  __writes("a ~> Matrix2(n, m, fun i j -> i == j ? 1 : 0)");
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) {
      a[i][j] = 0;
      if (i == j) a[i][j] = 1;
    }
  }
}
