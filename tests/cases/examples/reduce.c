// Wrong variants of examples/reduce.c.
// program: examples/reduce.c
// expect: VERIFIED
// assumptions: 2
// mutate: "i < N" -> "i <= N" => REFUTED[OG302] arr[i]
//   run: OG201 arr[i]
