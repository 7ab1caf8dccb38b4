// One flag for a whole matrix, in nested loops.
// expect: VERIFIED
// also: annotated
// mutate: "int i = 0" -> "int i = 1" => REFUTED[OG307] _Res == All(i in 0..n, All(j in 0..m, A(i, j) > 0))

bool whole_matrix(int n, int m, int a[n][m]) {
  __requires("A: int * int -> int");
  __reads("a ~> Matrix2(n, m, A)");
  __ensures("_Res == All(i in 0..n, All(j in 0..m, A(i, j) > 0))");
  bool ok = true;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) ok = ok && a[i][j] > 0;
  }
  return ok;
}
