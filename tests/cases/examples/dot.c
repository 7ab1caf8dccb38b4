// Wrong variants of examples/dot.c.
// program: examples/dot.c
// expect: VERIFIED
// mutate: "x[i] * y[i]" -> "x[i] * x[i]" => REFUTED[OG307] _Res == Sum(i in 0..n, X(i) * Y(i))
//   run: OG212 _Res == Sum(i in 0..n, X(i) * Y(i))
