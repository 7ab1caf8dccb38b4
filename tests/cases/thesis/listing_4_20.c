// The barrier in the teardown phase, declared by its contract under two names.
// program: examples/thesis/listing_4_20.c
// expect: VERIFIED
// run: clean
// mutate: '__reads("KernelTeardownCtx");\n  __consumes("H")' -> '__reads("KernelSetupCtx");\n  __consumes("H")'
//   => REJECTED[OG119] KernelSetupCtx
// mutate: '__reads("KernelTeardownCtx");\n  __consumes("K")' -> '__reads("KernelSetupCtx");\n  __consumes("K")'
//   => REJECTED[OG119] wait_for_kernel() {
// mutate: '  kernel_teardown_begin();\n  kernel_teardown_sync();\n' -> '  kernel_teardown_sync();\n  kernel_teardown_begin();\n'
//   => REFUTED[OG350] kernel_teardown_sync();
// mutate: 'Sync(block_sync_mem, K)' -> 'K' => REJECTED[OG119] wait_for_kernel() {
