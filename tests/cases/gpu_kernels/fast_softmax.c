// The fast softmax of rows. Any number that all threads subtract is right.
// program: examples/gpu/fast/softmax.c
// expect: VERIFIED
// also: replay
// mutate: "float m = v[DMINDEX1(THREADS, t)][0][0];" -> "float m = 0.0f;" => VERIFIED
// mutate: "m = fmaxf(m, s_max[32 * j + t]);" -> "m = fmaxf(m, s_max[32 * j]);" => VERIFIED
// mutate: "m = fmaxf(m, s_max[32 * j + t]);" -> "m = fmaxf(m, s_max[16 * j + t]);" => VERIFIED
// mutate: "    blocksync();\n    thread for (int t = 0; t < THREADS; t++) {\n      float m = s_max32[0];"
//   -> "    thread for (int t = 0; t < THREADS; t++) {\n      float m = s_max32[0];" => UNPROVED[OG341] s_max32[0]
//   slow: the search for a proof takes long to give up
// mutate: "sum += s_sum[32 * j + t];" -> "sum += s_sum[32 * j];" => UNPROVED[OG305] y ~> Matrix2(rows, 16384, fun i j -> exp(X(i, j) - Max(k in 0..16384, X(i, k))) / "
//   slow: the search for a proof takes long to give up
// mutate: "for (int j = 1; j < 32; j++)" -> "for (int j = 1; j < 31; j++)" => VERIFIED
