// Wrong variants of examples/strided.c.
// program: examples/strided.c
// expect: VERIFIED
// mutate: "int i = 1; i < n; i += 2" -> "int i = 1; i < n; i += 3" => REFUTED[OG306] a ~> Matrix1(n, fun i -> i % 2)
//   run: OG212 a ~> Matrix1(n, fun i -> i % 2)
// mutate: "int i = 0; i < n; i += 2" -> "int i = 0; i <= n; i += 2" => REFUTED[OG302] a[i] = 0;
//   run: OG201 a[i] = 0;
