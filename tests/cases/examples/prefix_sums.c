// Wrong variants of examples/prefix_sums.c.
// program: examples/prefix_sums.c
// expect: VERIFIED
// mutate: "    total += a[i];\n    out[i] = total;" -> "    out[i] = total;\n    total += a[i];"
//   => REFUTED[OG305] out ~> Matrix1(n, fun i -> Sum(j in 0..i + 1, A(j)))
//   run: OG212 out ~> Matrix1(n, fun i -> Sum(j in 0..i + 1, A(j)))
