// Wrong variants of examples/sum.c.
// program: examples/sum.c
// expect: VERIFIED
// mutate: "i < n" -> "i < n - 1" => REFUTED[OG307] _Res == Sum(i in 0..n, A(i))
//   run: OG212 _Res == Sum(i in 0..n, A(i))
// mutate: "float total = 0.0f" -> "float total" => REFUTED[OG304] total += a[i];
//   run: OG202 2nd total;
