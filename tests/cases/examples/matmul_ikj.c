// Wrong variants of examples/matmul_ikj.c.
// program: examples/matmul_ikj.c
// expect: VERIFIED
// mutate: "c[i][j] = 0.0f" -> "c[i][i] = 0.0f" => REFUTED[OG302] c[i][i] = 0.0f;
//   run: OG212 c ~> Matrix2(m, n, fun i j -> Sum(k in 0..p, A(i, k) * B(k, j)))
// mutate: "c[i][j] += a[i][k]" -> "c[i][j] = a[i][k]"
//   => REFUTED[OG305] c ~> Matrix2(m, n, fun i j -> Sum(k in 0..p, A(i, k) * B(k, j)))
//   run: OG212 c ~> Matrix2(m, n, fun i j -> Sum(k in 0..p, A(i, k) * B(k, j)))
