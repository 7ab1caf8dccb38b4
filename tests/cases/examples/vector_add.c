// Wrong variants of examples/vector_add.c.
// program: examples/vector_add.c
// expect: VERIFIED
// mutate: "a[i] + b[i]" -> "a[i] - b[i]" => REFUTED[OG305] c ~> Matrix1(n, fun i -> A(i) + B(i))
//   run: OG212 c ~> Matrix1(n, fun i -> A(i) + B(i))
