// Wrong variants of examples/maximum.c.
// program: examples/maximum.c
// expect: VERIFIED
// mutate: "fmaxf" -> "fminf" => REFUTED[OG307] _Res == Max(i in 0..n, A(i))
//   run: OG212 _Res == Max(i in 0..n, A(i))
// mutate: ", not_empty: n > 0" -> "" => UNPROVED[OG361] 0..n
//   run: OG201 a[0]
