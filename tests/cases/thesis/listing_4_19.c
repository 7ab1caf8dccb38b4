// A block barrier that is declared by its contract alone, and the built-in one.
// program: examples/thesis/listing_4_19.c
// expect: VERIFIED
// assumptions: 1
// also: replay
// mutate: '    my_blocksync();\n' -> '' => REFUTED[OG341] s[63 - t]
// mutate: '    my_blocksync();\n' -> '    blocksync();\n' => VERIFIED
// mutate: '    my_blocksync();\n' -> '    my_blocksync(); __with("H := desync_for t in ..64 -> &s[t] ~~>[SMem] A(b * 64 + t)");\n'
//   => VERIFIED
// mutate: '    my_blocksync();\n' -> '    my_blocksync(); __with("H := desync_for t in ..64 -> &s[t] ~~>[SMem] A(b * 64)");\n'
//   => UNPROVED[OG322] desync_for t in ..64
// mutate: '    my_blocksync();\n' -> '    my_blocksync(); __with("H := for t in ..64 -> &s[t] ~~>[SMem] A(b * 64 + t)");\n'
//   => UNPROVED[OG341] for t in ..64
// mutate: '    my_blocksync();\n' -> '    thread for (int t = 0; t < 64; t++) my_blocksync();\n' => UNPROVED[OG346] my_blocksync();
// mutate: 'kernel_launch(n, 64, 256)' -> 'kernel_launch(n * 2, 32, 256)' => REFUTED[OG346] float s
// mutate: 'void blocksync() {\n  __requires("H: HProp, tpb: int, t: int");\n  __preserves("ThreadsCtx(t ..+ tpb)")'
//   -> 'void blocksync() {\n  __requires("H: HProp, tpb: int, t: int");\n  __preserves("ThreadsCtx(t ..+ 32)")'
//   => REJECTED[OG119] ThreadsCtx(t ..+ 32)
// mutate: 'a[b * 64 + t] = s[63 - t]' -> 'a[b * 64 + t] = s[62 - t]' => UNPROVED[OG302] s[62 - t]
