// The row and column of a match in a matrix.
// expect: VERIFIED
// also: annotated, replay
// mutate: "c = j;" -> "c = i;" => REFUTED[OG302] a[r][c]
// mutate: "r = i;" -> "r = i + 1;" => REFUTED[OG302] a[r][c]

float match_in_a_matrix(int n, int m, float x, float a[n][m]) {
  __reads("a ~> Cells2(n, m)");
  int r = -1;
  int c = -1;
  float y = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) {
      if (a[i][j] == x) {
        r = i;
        c = j;
      }
    }
  }
  if (r >= 0 && c >= 0) {
    y = a[r][c];
  }
  return y;
}
