// The fast reduction.
// program: examples/gpu/fast/reduce.c
// expect: VERIFIED
// mutate: "        sum += d_a[i];\n      }\n      s[t] = sum;\n    }\n    blocksync();\n"
//   -> "        sum += d_a[i];\n      }\n      s[t] = sum;\n    }\n"
//   => UNPROVED[OG341] 1st s[t + h];
//   slow: the search for a proof takes long to give up
// mutate: "d_a[(BLOCKS * k + b) * 4096 + 1024 * u + 4 * t]" -> "d_a[(BLOCKS * k + b) * 4096 + 1024 * u]"
//   => UNPROVED[OG305] out ~> Matrix1(1, fun i -> Sum(k in 0..n, A(k)))
//   slow: the search for a proof takes long to give up
// mutate: "i += BLOCKS * 256" -> "i += BLOCKS * 512" => UNPROVED[OG305] out ~> Matrix1(1, fun i -> Sum(k in 0..n, A(k)))
//   slow: the search for a proof takes long to give up
// mutate: "256 * b + t; i < n" -> "256 * b + t; i < n - 1"
//   => UNPROVED[OG305] out ~> Matrix1(1, fun i -> Sum(k in 0..n, A(k)))
//   slow: the search for a proof takes long to give up
// mutate: "for (int v = 0; v < 4; v++)" -> "for (int v = 0; v < 3; v++)"
//   => UNPROVED[OG305] out ~> Matrix1(1, fun i -> Sum(k in 0..n, A(k)))
//   slow: the search for a proof takes long to give up
