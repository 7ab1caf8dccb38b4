// Listing 7.22, OptiGPU's own code, with blocks of 8 threads: what is computed.
// program: examples/thesis/listing_7_22_optigpu.c
// replace: "512" -> "16" (5 times), "256" -> "8" (8 times), "i = 8" -> "i = 3"
// expect: VERIFIED
// run: clean
// also: standin, replay
// mutate: "i = 3; i > 0" -> "i = 2; i > 0" => REFUTED[OG307] _Res == Sum(i in 0..numBlocks * 16, A(i))
// mutate: "i = 3; i > 0" -> "i = 3; i > 1" => REFUTED[OG307] _Res == Sum(i in 0..numBlocks * 16, A(i))
// mutate: "1 << (i - 1)" -> "1 << (i - 2)" => REFUTED[OG312] 1 << (i - 2)
// mutate: "1 << (i - 1)" -> "1 << i" => REFUTED[OG302] &reduce_arr_1[ei])[t2]
// mutate: "1 << (i - 1)" -> "2 << (i - 1)" => REFUTED[OG302] &reduce_arr_1[ei])[t2]
// mutate: "j < 2" -> "j < 1" => REFUTED[OG307] _Res == Sum(i in 0..numBlocks * 16, A(i))
