// Wrong variants of examples/relu.c.
// program: examples/relu.c
// expect: VERIFIED
// mutate: "x[i] < 0.0f" -> "x[i] > 0.0f" => REFUTED[OG305] x ~> Matrix1(n, fun i -> X(i) < 0 ? 0.0f : X(i))
//   run: OG212 x ~> Matrix1(n, fun i -> X(i) < 0 ? 0.0f : X(i))
