// Shared memory's malloc and free, declared by their contracts.
// program: examples/thesis/listing_4_16.c
// expect: VERIFIED
// run: clean
// mutate: '__consumes("SMemAllowance(sz + sizeof(T) * N1)")' -> '__consumes("SMemAllowance(sz + N1)")'
//   => REJECTED[OG119] SMemAllowance(sz + N1)
// mutate: '__preserves("KernelTeardownCtx")' -> '__preserves("KernelSetupCtx")' => REJECTED[OG119] 2nd KernelSetupCtx");
// mutate: '__produces("desync_for b in' -> '__produces("for b in'
//   => REJECTED[OG119] for b in 0..bpg -> for i in 0..N1 -> &_Res[DMINDEX1(bpg, b)][i] ~>[SMem] UninitCell");
// mutate: 'kernel_launch(n, 64, 256)' -> 'kernel_launch(n, 64, 255)' => REFUTED[OG349] float* const s = __smem_malloc1<float>(64)
// mutate: '    blocksync();\n' -> '' => REFUTED[OG341] s[DMINDEX1(n, b)][63 - t]
