// Wrong variants of examples/countdown.c.
// program: examples/countdown.c
// expect: VERIFIED
// mutate: "i >= 0" -> "i > 0" => REFUTED[OG306] a ~> Matrix1(n, fun i -> n - i)
//   run: OG212 a ~> Matrix1(n, fun i -> n - i)
// mutate: "int i = n - 1" -> "int i = n" => REFUTED[OG302] a[i] = n - i;
//   run: OG201 a[i]
