// Wrong variants of examples/row_sums.c.
// program: examples/row_sums.c
// expect: VERIFIED
// mutate: "    sums[i] = 0.0f;\n" -> "" => REFUTED[OG304] sums[i]
//   run: OG212 sums ~> Matrix1(h, fun i -> Sum(j in 0..w, A(i, j)))
