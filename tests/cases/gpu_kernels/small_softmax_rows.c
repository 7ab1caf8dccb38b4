// The softmax of rows with blocks of 8 threads. The proofs are those of the whole kernel, and its trees have fewer passes.
// program: examples/gpu/softmax_rows.c
// replace: "128" -> "8" (13 times), "half = 64" -> "half = 4" (2 times)
// expect: VERIFIED
// mutate: "    blocksync();\n    const float top" -> "    const float top" => REFUTED[OG341] s_max[0]
// mutate: "    blocksync();\n    const float total" -> "    const float total" => REFUTED[OG341] s_sum[0]
// mutate: "width: w > 0" -> "width: w >= 0" => REFUTED[OG302] d_a[i][0]
// Any number that all threads of a block subtract is right: zero, another element, a part of the maximum.
// mutate: "float best = d_a[i][0];" -> "float best = 0.0f;" => VERIFIED
// mutate: "        best = fmaxf(best, d_a[i][j]);\n" -> "        best = d_a[i][j];\n" => UNPROVED[OG305] b ~> Matrix2(h, w, fun i j -> expf(A(i, j) - row_max(A, i, w)) / "
//   slow: the search for a proof takes long to give up
// mutate: "s_max[t] = fmaxf(s_max[t], s_max[t + half]);" -> "s_max[t] = fmaxf(s_max[t], s_max[half]);" => VERIFIED
// mutate: "const float top = s_max[0];" -> "const float top = d_a[i][0];" => VERIFIED
// mutate: "      for (int j = t; j < w; j += 8) {\n        sum" -> "      for (int j = t; j < w - 1; j += 8) {\n        sum"
//   => REFUTED[OG310] expf(d_a[i][j] - top) / total
//   slow: the search for a proof takes long to give up
