// Claims on neighbouring columns of a matrix.
// expect: VERIFIED
// also: annotated
// mutate: "for i in 0..n -> for j in h..m" -> "for i in 1..n -> for j in h..m" => REFUTED[OG302] a[i][j] = 3;

void columns(int n, int m, int h, float a[n][m]) {
  __requires("n >= 0 && 0 <= h && h <= m");
  __consumes("for i in 0..n -> for j in 0..h -> &a[i][j] ~> Cell");
  __consumes("for i in 0..n -> for j in h..m -> &a[i][j] ~> Cell");
  __produces("a ~> Matrix2(n, m, fun i j -> 3)");
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) a[i][j] = 3;
  }
}
