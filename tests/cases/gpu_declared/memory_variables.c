// A variable of type MemType is the memory of one parameter: the function takes an array of global or shared memory, or registers.
// expect: VERIFIED
// assumptions: 1
// mutate: 'M: MemType, K: MemType' -> 'M: MemType', '&b[i] ~>[K]' -> '&b[i] ~>[M]' => REJECTED[OG110] M: MemType
// mutate: '__device__ void copy_row' -> 'void copy_row' => REJECTED[OG110] M: MemType
// mutate: '__writes("for i in ..n -> &b[i] ~>[K] A(i)")' -> '__writes("Sync(block_sync_mem, for i in ..n -> &b[i] ~>[K] A(i))")'
//   => UNSUPPORTED[OG300] &b[i] ~>[K] A(i)
// mutate: 'copy_row(32, s, &a[b * 64])' -> 'copy_row(33, s, &a[b * 64])' => UNPROVED[OG302] copy_row(33, s, &a[b * 64]);
// mutate: 'copy_row(32, s, &a[b * 64])' -> 'copy_row(32, &a[b * 64], &a[b * 64])' => UNPROVED[OG316] copy_row(32, &a[b * 64], &a[b * 64]);

#include <optigpu.h>

__device__ void copy_row(int n, float* a, float* b) {
  __requires("A: int -> float, M: MemType, K: MemType, t: int, P: n >= 0");
  __preserves("ThreadsCtx(t ..+ 1)");
  __reads("for i in ..n -> &a[i] ~>[M] A(i)");
  __writes("for i in ..n -> &b[i] ~>[K] A(i)");
  __admitted();
}

void fill(int n, float* a) {
  __requires("blocks: n >= 0");
  __writes("for b in 0..n -> for i in ..32 -> &a[b * 64 + i] ~~>[GMem] 1");
  kernel_launch(n, 1, 0);
  kernel_setup_end();
  thread for (int b = 0; b < n; b++) {
    float s[32];
    for (int i = 0; i < 32; i++) {
      s[i] = 1.0f;
    }
    copy_row(32, s, &a[b * 64]);
  }
  kernel_teardown_begin();
  kernel_kill();
}
