// Listing 7.22, the reference: a tree in shared memory with a register accumulator beside it.
// program: examples/thesis/listing_7_22.c
// expect: VERIFIED
// run: clean
// mutate: "    blocksync();\n    for" -> "    for" => REFUTED[OG341] sdata[tid + s];
// mutate: "      blocksync();\n    }\n" -> "    }\n" => REFUTED[OG341] sdata[tid + s];
// mutate: "tid < s)" -> "tid <= s)" => REFUTED[OG302] sdata[tid + s];
