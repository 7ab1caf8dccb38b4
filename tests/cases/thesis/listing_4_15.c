// Listing 4.15: get and set of shared memory, by one thread, on cells of shared memory.
// expect: VERIFIED
// run: clean
// also: standin
// mutate: '_Res =. v' -> '_Res =. v + 1' => UNPROVED[OG307] _Res =. v + 1
// mutate: '__writes("p ~~>[SMem] v")' -> '__writes("p ~~>[SMem] v + 1")' => UNPROVED[OG305] p ~~>[SMem] v + 1
// mutate: '__writes("p ~~>[SMem] v")' -> '__writes("p ~~>[GMem] v")' => REJECTED[OG114] &p[0], v);
// mutate: '  __preserves("ThreadsCtx(t ..+ 1)");' -> '  __preserves("ThreadsCtx(t ..+ 2)");' => UNPROVED[OG346] __smem_set(&p[0], v);
// mutate: 'smem_get(&s[DMINDEX1(1, b)][t])' -> 'smem_get(&s[DMINDEX1(1, b)][31 - t])' => REFUTED[OG316] smem_get(&s[DMINDEX1(1, b)][31 - t])
// program: examples/thesis/listing_4_15.c
