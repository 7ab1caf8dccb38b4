// The functions of global memory and of registers, declared by their contracts.
// program: examples/thesis/listing_4_14.c
// expect: VERIFIED
// run: clean
// mutate: '__ensures("_Res = v")' -> '__ensures("_Res = v + 1")' => REJECTED[OG119] _Res = v + 1
// mutate: '  __consumes("H");\n' -> '' => REJECTED[OG119] gmem_free(float* p) {
// mutate: '__writes("for i in 0..N1 -> &dest[i] ~> A(i)")' -> '__writes("for i in 0..N1 -> &dest[i] ~>[GMem] A(i)")'
//   => REJECTED[OG119] 2nd for i in 0..N1 -> &dest[i] ~>[GMem] A(i)");
// mutate: '__reads("ThreadsCtx(t ..+ 1)")' -> '__reads("ThreadsCtx(t ..+ 32)")' => REJECTED[OG119] ThreadsCtx(t ..+ 32)
// mutate: 'void gmem_free(float* p)' -> 'void gmem_free(int p)' => REJECTED[OG119] gmem_free(int p) {
// mutate: 'desync_for i in 0..sz' -> 'for i in 0..sz' => REJECTED[OG119] for i in 0..sz ->
// mutate: 'T* gmem_malloc1(int N1)' -> 'T* my_malloc1(int N1)' => REJECTED[OG009] T* my_malloc1
// mutate: '__gmem_set(&d[b * 32 + t], x[DMINDEX1(32, t)] + 1.0f)' -> '__gmem_set(&d[b * 32 + t], x[DMINDEX1(32, t)])'
//   => REFUTED[OG305] h ~> Matrix1(32 * n, fun i -> A(i) + 1)
