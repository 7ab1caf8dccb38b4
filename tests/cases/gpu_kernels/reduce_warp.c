// A sum by shuffles whose terms do not cancel: the search gives up after a fixed amount of work.
// program: examples/gpu/reduce_warp.c
// expect: VERIFIED
// mutate: "sum[DMINDEX1(128, t)] += d_a[i];" -> "sum[DMINDEX1(128, t)] = d_a[i];" => REFUTED[OG307] _Res == Sum(i in 0..n, A(i))
