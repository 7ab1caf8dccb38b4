// Wrong variants of examples/axpy.c.
// program: examples/axpy.c
// expect: VERIFIED
// mutate: "+= s * x[i]" -> "-= s * x[i]" => REFUTED[OG305] y ~> Matrix1(n, fun i -> s * X(i) + Y(i))
//   run: OG212 y ~> Matrix1(n, fun i -> s * X(i) + Y(i))
