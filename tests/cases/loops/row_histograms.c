// Each row has cells of its own, although the cell in a row varies.
// expect: VERIFIED
// mutate: "counts[r][keys[r][i]] += 1" -> "counts[0][keys[r][i]] += 1" => REFUTED[OG304] counts[0][keys[r][i]]
// mutate: "counts[r][keys[r][i]] += 1" -> "counts[r][keys[0][i]] += 1"
//   => REFUTED[OG305] counts ~> Matrix2(rows
// mutate: "K(r, i) < bins" -> "K(r, i) <= bins" => REFUTED[OG302] counts[r][keys[r][i]]
// mutate: "counts[r][b] = 0" -> "counts[r][b] = r" => REFUTED[OG305] counts ~> Matrix2(rows

void row_histograms(int rows, int n, int bins, int keys[rows][n], int counts[rows][bins]) {
  __requires("K: int * int -> int");
  __requires("in_bins: forall r in 0..rows -> forall i in 0..n -> 0 <= K(r, i) && K(r, i) < bins");
  __reads("keys ~> Matrix2(rows, n, K)");
  __writes("counts ~> Matrix2(rows, bins, fun r b -> Sum(i in 0..n, K(r, i) == b ? 1 : 0))");
  for (int r = 0; r < rows; r++) {
    for (int b = 0; b < bins; b++) {
      counts[r][b] = 0;
    }
    for (int i = 0; i < n; i++) {
      counts[r][keys[r][i]] += 1;
    }
  }
}
