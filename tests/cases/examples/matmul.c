// Wrong variants of examples/matmul.c.
// program: examples/matmul.c
// expect: VERIFIED
// mutate: "float sum = 0.0f" -> "float sum = 1.0f"
//   => REFUTED[OG305] c ~> Matrix2(m, n, fun i j -> Sum(k in 0..p, A(i, k) * B(k, j)))
//   run: OG212 c ~> Matrix2(m, n, fun i j -> Sum(k in 0..p, A(i, k) * B(k, j)))
// mutate: "b[k][j]" -> "b[j][k]" => REFUTED[OG302] b[j][k]
//   run: OG201 b[j][k]
