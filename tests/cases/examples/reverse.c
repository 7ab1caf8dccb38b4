// Wrong variants of examples/reverse.c.
// program: examples/reverse.c
// expect: VERIFIED
// mutate: "b[n - 1 - i]" -> "b[n - i]" => REFUTED[OG302] b[n - i] = a[i];
//   run: OG201 b[n - i]
