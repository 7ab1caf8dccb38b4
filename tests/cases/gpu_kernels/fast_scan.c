// The fast scan.
// program: examples/gpu/fast/scan.c
// expect: VERIFIED
// slow: the search for a proof takes long
// mutate: "          groups[t] = sum;\n        }\n      }\n      blocksync();\n"
//   -> "          groups[t] = sum;\n        }\n      }\n"
//   => UNPROVED[OG341] vload4(&x[q][0], &groups[4 * q]);
//   slow: the search for a proof takes long to give up
// mutate: "if (g < t / 32) {" -> "if (g <= t / 32) {" => UNPROVED[OG305] out ~> Matrix1(n, fun i -> Sum(k in 0..i + 1, A(k)))
//   slow: the search for a proof takes long to give up
// mutate: "            sums[t][i] = sum;\n            sum += x[i];"
//   -> "            sum += x[i];\n            sums[t][i] = sum;"
//   => UNPROVED[OG305] out ~> Matrix1(n, fun i -> Sum(k in 0..i + 1, A(k)))
//   slow: the search for a proof takes long to give up
