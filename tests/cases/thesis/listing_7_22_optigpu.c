// Listing 7.22, OptiGPU's own code: the tree by powers of two, without a register.
// program: examples/thesis/listing_7_22_optigpu.c
// expect: VERIFIED
// run: clean
// mutate: "      blocksync();\n    }\n" -> "    }\n" => REFUTED[OG341] &reduce_arr_1[ei])[t2]
// mutate: "i = 8; i > 0" -> "i = 9; i > 0" => REFUTED[OG302] &reduce_arr_1[ei])[t2]
// mutate: "1 << (i - 1)" -> "256 >> (9 - i)" => VERIFIED
// mutate: "1 << (i - 1)" -> "(1 << i) / 2" => VERIFIED
