// The transitions of a kernel, declared by their contracts: a contract that says something else is an error.
// program: examples/thesis/figure_4_2.c
// expect: VERIFIED
// run: clean
// also: replay
// mutate: '__produces("KernelParams(bpg, tpb, smem_sz)")' -> '__produces("KernelParams(tpb, bpg, smem_sz)")'
//   => REJECTED[OG119] KernelParams(tpb, bpg, smem_sz)
// mutate: '__produces("SMemAllowance(smem_sz)");' -> '__produces("SMemAllowance(2 * smem_sz)");'
//   => REJECTED[OG119] SMemAllowance(2 * smem_sz)
// mutate: '  __preserves("SMemAllowance(0)");\n' -> '' => REJECTED[OG119] kernel_teardown_begin() {
// mutate: '__consumes("KernelTeardownCtx");\n' -> '' => REJECTED[OG119] kernel_kill() {
// mutate: '__produces("SMemAllowance(0)")' -> '__preserves("SMemAllowance(0)")' => VERIFIED
// mutate: '__produces("SMemAllowance(bytes)")' -> '__produces("SMemAllowance(0)")' => REJECTED[OG119] begin_kernel(int blocks
// mutate: 'int threads, int bytes' -> 'int threads, float bytes' => REJECTED[OG119] begin_kernel(int blocks
// mutate: '  begin_kernel(n, 32, 0);\n' -> '' => REFUTED[OG350] kernel_setup_end();
// mutate: 'void fill(int n, float* a) {\n' -> '__device__ void fill(int n, float* a) {\n' => UNSUPPORTED[OG300] 4th HostCtx");
