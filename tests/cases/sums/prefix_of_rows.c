// Prefix sums of each row, in place.
// expect: VERIFIED
// mutate: "x[i][c - 1] + x[i][c]" -> "x[i][c - 1] * x[i][c - 1]"
//   => REFUTED[OG305] x ~> Matrix2(m, n, fun i j -> Sum(k in 0..j + 1, A(i, k)))
// mutate: "x[i][c] = x[i][c - 1] + x[i][c]" -> "x[0][c] = x[0][c - 1] * x[0][c - 1]"
//   => REFUTED[OG305] x ~> Matrix2(m, n, fun i j -> Sum(k in 0..j + 1, A(i, k)))
// mutate: "Sum(k in 0..j + 1" -> "Sum(k in 0..j" => REFUTED[OG305] x ~> Matrix2(m, n, fun i j -> Sum(k in 0..j, A(i, k)))
// mutate: "c = 1" -> "c = 0" => REFUTED[OG302] x[i][c - 1]
// mutate: "c < n" -> "c < n - 1" => REFUTED[OG305] x ~> Matrix2(m, n, fun i j -> Sum(k in 0..j + 1, A(i, k)))

void prefix_of_rows(int m, int n, float x[m][n]) {
  __requires("A: int * int -> float, some: n > 0, rows: m >= 0");
  __consumes("x ~> Matrix2(m, n, A)");
  __produces("x ~> Matrix2(m, n, fun i j -> Sum(k in 0..j + 1, A(i, k)))");
  for (int i = 0; i < m; i++) {
    for (int c = 1; c < n; c++) {
      x[i][c] = x[i][c - 1] + x[i][c];
    }
  }
}
