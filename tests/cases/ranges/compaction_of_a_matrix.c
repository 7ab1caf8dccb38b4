// The same in nested loops.
// expect: VERIFIED
// also: annotated
// mutate: "c++;" -> "c += 2;" => REFUTED[OG302] b[c] = a[i][j];

int compaction_of_a_matrix(int n, int m, float a[n][m], float b[n * m]) {
  __reads("a ~> Cells2(n, m)");
  __preserves("b ~> Cells1(n * m)");
  int c = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) {
      if (a[i][j] > 0) {
        b[c] = a[i][j];
        c++;
      }
    }
  }
  return c;
}
