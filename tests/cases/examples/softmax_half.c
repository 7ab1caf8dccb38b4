// Wrong variants of examples/softmax_half.c.
// program: examples/softmax_half.c
// expect: VERIFIED
// mutate: "/ total" -> "* total" => REFUTED[OG305] b ~> Matrix2(h, w, fun i j -> expf(A(i, j)) / Sum(k in 0..w, expf(A(i, k))))
//   run: OG212 b ~> Matrix2(h, w, fun i j -> expf(A(i, j)) / Sum(k in 0..w, expf(A(i, k))))
// mutate: "float total = 0.0f" -> "float total = 0.01f"
//   => REFUTED[OG305] b ~> Matrix2(h, w, fun i j -> expf(A(i, j)) / Sum(k in 0..w, expf(A(i, k))))
//   run: OG212 b ~> Matrix2(h, w, fun i j -> expf(A(i, j)) / Sum(k in 0..w, expf(A(i, k))))
