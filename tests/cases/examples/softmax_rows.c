// Wrong variants of examples/softmax_rows.c.
// program: examples/softmax_rows.c
// expect: VERIFIED
// mutate: "/ total" -> "* total" => REFUTED[OG305] b ~> Matrix2(h, w, fun i j -> expf(A(i, j) - row_max(A, i, w)) / "
//   run: OG212 b ~> Matrix2(h, w, fun i j -> expf(A(i, j) - row_max(A, i, w)) / "
// mutate: "float total = 0.0f" -> "float total = 1.0f"
//   => REFUTED[OG305] b ~> Matrix2(h, w, fun i j -> expf(A(i, j) - row_max(A, i, w)) / "
//   run: OG212 b ~> Matrix2(h, w, fun i j -> expf(A(i, j) - row_max(A, i, w)) / "
