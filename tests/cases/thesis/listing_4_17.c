// Listing 4.17: a register of each thread of a group.
// expect: VERIFIED
// mutate: '= x[DMINDEX1(64, i)]' -> '= x[DMINDEX1(64, 63 - i)]' => UNPROVED[OG344] x[DMINDEX1(64, 63 - i)]
// mutate: '  set_all(x);\n' -> '' => UNPROVED[OG304] x[DMINDEX1(64, i)];
// mutate: '-> &x[i] ~>[TReg] UninitCell' -> '-> &x[i] ~>[TReg] Cell' => UNPROVED[OG316] set_all(x);
// mutate: '-> &x[i] ~~>[TReg] i' -> '-> &x[i] ~~>[TReg] i + 1' => UNPROVED[OG305] desync_for i in ..64 -> &x[i] ~~>[TReg] i + 1
// program: examples/thesis/listing_4_17.c
