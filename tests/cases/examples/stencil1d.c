// Wrong variants of examples/stencil1d.c.
// program: examples/stencil1d.c
// expect: VERIFIED
// mutate: "n >= 2" -> "n >= 0" => REFUTED[OG302] a[0]
//   run: OG201 a[0]
// mutate: "/ 3.0f" -> "/ 2.0f"
//   => REFUTED[OG305] b ~> Matrix1(n, fun i -> i == 0 || i == n - 1 ? A(i) : (A(i - 1) + A(i) + A(i + 1)) / 3)
//   run: OG212 b ~> Matrix1(n, fun i -> i == 0 || i == n - 1 ? A(i) : (A(i - 1) + A(i) + A(i + 1)) / 3)
