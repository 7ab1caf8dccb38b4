// A flag for each row of a matrix.
// expect: VERIFIED
// also: annotated
// mutate: "b[i] = ok;" -> "b[i] = !ok;" => REFUTED[OG305] b ~> Matrix1(n, fun i -> All(j in 0..m, A(i, j) > 0))
// mutate: "int j = 0" -> "int j = 1" => REFUTED[OG305] b ~> Matrix1(n, fun i -> All(j in 0..m, A(i, j) > 0))

void rows(int n, int m, int a[n][m], bool b[n]) {
  __requires("A: int * int -> int");
  __reads("a ~> Matrix2(n, m, A)");
  __writes("b ~> Matrix1(n, fun i -> All(j in 0..m, A(i, j) > 0))");
  for (int i = 0; i < n; i++) {
    bool ok = true;
    for (int j = 0; j < m; j++) ok = ok && a[i][j] > 0;
    b[i] = ok;
  }
}
