// Listing 7.22, the reference, with blocks of 8 threads: what is computed.
// program: examples/thesis/listing_7_22.c
// replace: "512" -> "16" (2 times), "256" -> "8" (8 times), "s = 128" -> "s = 4"
// expect: VERIFIED
// run: clean
// also: standin, replay
// mutate: "s = 4" -> "s = 2" => REFUTED[OG318] thread for (int block = 0; block < numBlocks; block++)
//   slow: the search for a proof takes long to give up
// mutate: "mySum[tid] + sdata[tid + s]" -> "mySum[tid] + sdata[tid] + sdata[tid + s]" => REFUTED[OG307] _Res == Sum(i in 0..n, A(i))
// mutate: "sdata[tid] = mySum[tid] = mySum[tid]" -> "mySum[tid] = mySum[tid]" => REFUTED[OG307] _Res == Sum(i in 0..n, A(i))
// mutate: "mySum[tid] = mySum[tid] + sdata[tid + s]" -> "mySum[tid + s]" => REFUTED[OG344] mySum[tid + s];
// mutate: "i + 8 < n" -> "i + 8 <= n" => REFUTED[OG302] d_idata[i + 8]
// mutate: "i + 8 < n" -> "i + 9 < n" => REFUTED[OG307] _Res == Sum(i in 0..n, A(i))
// mutate: "= mySum[tid];\n      }" -> "= mySum[tid] + mySum[tid];\n      }" => REFUTED[OG307] _Res == Sum(i in 0..n, A(i))
// mutate: "sdata[tid] = mySum[tid];" -> "sdata[tid] = 2.0f * mySum[tid];" => REFUTED[OG307] _Res == Sum(i in 0..n, A(i))
