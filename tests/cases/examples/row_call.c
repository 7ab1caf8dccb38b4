// Wrong variants of examples/row_call.c.
// program: examples/row_call.c
// expect: VERIFIED
// mutate: "const float s = row_sum(w, a[i])" -> "const float s = row_sum(h, a[i])" => REFUTED[OG316] row_sum(h, a[i])
//   run: OG211 row_sum(h, a[i])
// mutate: "scale_row(w, s, a[i]);" -> "scale_row(w, s, a[0]);"
//   => REFUTED[OG305] a ~> Matrix2(h, w, fun i j -> Sum(k in 0..w, A(i, k)) * A(i, j))
//   run: OG212 a ~> Matrix2(h, w, fun i j -> Sum(k in 0..w, A(i, k)) * A(i, j))
