// The fast matrix multiply.
// program: examples/gpu/fast/matmul.c
// expect: VERIFIED
// mutate: "        blocksync();\n      }\n" -> "      }\n"
//   => UNPROVED[OG341] vload4(&x[h][0], &s_a[kt % 2][k][64 * h + 4 * ty]);
//   slow: the search for a proof takes long to give up
// mutate: "      blocksync();\n      for (int kt" -> "      for (int kt"
//   => REFUTED[OG341] vload4(&x[h][0], &s_a[kt % 2][k][64 * h + 4 * ty]);
//   slow: the search for a proof takes long to give up
// mutate: "s_a[(kt + 1) % 2][4 * q + i]" -> "s_a[kt % 2][4 * q + i]"
//   => UNPROVED[OG318] s_a[kt % 2][4 * q + i][1024 / BK * h + r] = next_a[DMINDEX2(1024 / BK, BK / 4, r, q)][h][i];
// mutate: "&s_a[kt % 2][k]" -> "&s_a[(kt + 1) % 2][k]"
//   => REFUTED[OG304] vload4(&x[h][0], &s_a[(kt + 1) % 2][k][64 * h + 4 * ty]);
//   slow: the search for a proof takes long to give up
// mutate: "s_a[0][4 * q + i]" -> "s_a[1][4 * q + i]"
//   => REFUTED[OG318] s_a[(kt + 1) % 2][4 * q + i][1024 / BK * h + r] = next_a[DMINDEX2(1024 / BK, BK / 4, r, q)][h][i];
// mutate: "h + r][BK * (kt + 1) + 4 * q]" -> "h + r][BK * kt + 4 * q]"
//   => UNPROVED[OG318] s_a[(kt + 1) % 2][4 * q + i][1024 / BK * h + r] = next_a[DMINDEX2(1024 / BK, BK / 4, r, q)][h][i];
// mutate: "[hj][j] = 0.0f;" -> "[hj][j] = 1.0f;"
//   => REFUTED[OG305] c ~> Matrix2(m, n, fun i j -> Sum(k in 0..p, A(i, k) * B(k, j)))
//   slow: the search for a proof takes long to give up
// mutate: "for (int k = 0; k < BK; k++)" -> "for (int k = 1; k < BK; k++)"
//   => REFUTED[OG305] c ~> Matrix2(m, n, fun i j -> Sum(k in 0..p, A(i, k) * B(k, j)))
//   slow: the search for a proof takes long to give up
// mutate: "BK * h + r][4 * q]);" -> "BK * h + r][4 * q + 8]);"
//   => REFUTED[OG302] vload4(&next_a[DMINDEX2(1024 / BK, BK / 4, r, q)][h][0], &d_a[128 * bi + 1024 / BK * h + r][4 * q + 8]);
