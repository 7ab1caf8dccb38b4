// Sync, for a memory type that the program's predicate is satisfied by: it is stuck at any other memory, and at registers for ever.
// program: examples/thesis/equation_4_1.c
// expect: VERIFIED
// assumptions: 3
// also: replay
// mutate: '"shared_mem(SMem)"' -> '"shared_mem(GMem)"' => UNSUPPORTED[OG300] &s[w][l] ~~>[SMem] A(w, l))");
// mutate: '"shared_mem(SMem)"' -> '"shared_mem(TReg)"' => REJECTED[OG114] shared_mem(TReg)
// mutate: '"shared_mem(SMem)"' -> '"shared_mem(Any)"' => REJECTED[OG114] shared_mem(Any)
// mutate: '__AXIOM(shared_mem_SMem, "shared_mem(SMem)");' -> '' => UNSUPPORTED[OG300] &s[w][l] ~~>[SMem] A(w, l))");
// mutate: '__produces("Sync(shared_mem, desync_for w in ..4' -> '__produces("Sync(block_sync_mem, desync_for w in ..4' => VERIFIED
// mutate: '    rows_ready(s);\n' -> '    shared_sync();\n' => VERIFIED
// mutate: '    rows_ready(s);\n' -> '',
//   '    shared_sync();\n    __with("H := for w in ..4 -> for l in ..32 -> &s[w][l] ~> Cell");\n' -> ''
//   => REFUTED[OG341] s[3 - w][31 - l]
// mutate: '__produces("Sync(shared_mem, desync_for w in ..4 -> desync_for l' -> '__produces("desync_for w in ..4
//   -> Sync(shared_mem, desync_for l'
//   => UNPROVED[OG341] s[3 - w][31 - l]
// mutate: '"H := for w' -> '"H := for b in 0..1 -> for w' => VERIFIED
