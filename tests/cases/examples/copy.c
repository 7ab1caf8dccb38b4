// Wrong variants of examples/copy.c.
// program: examples/copy.c
// expect: VERIFIED
// mutate: "i < n" -> "i <= n" => REFUTED[OG302] b[i] = a[i];
//   run: OG201 a[i]
// mutate: "b[i] = a[i]" -> "b[i] = b[i]" => REFUTED[OG304] b[i];
//   run: OG202 b[i];
// mutate: "b[i] = a[i]" -> "a[i] = a[i]" => REFUTED[OG303] a[i] = a[i];
//   run: OG215 a[i] = a[i];
// mutate: "int i = 0" -> "int i = 1" => REFUTED[OG306] b ~> Matrix1(n, A)
//   run: OG212 b ~> Matrix1(n, A)
