// The names that KernelParams binds are the parameters of the launch, whatever the caller calls its variables.
// expect: VERIFIED
// assumptions: 1
// mutate: '"_Res == bpg"' -> '"_Res == tpb"' => UNPROVED[OG305] for b in 0..n -> for t in 0..bpg -> &a[b * bpg + t] ~~>[GMem] n
// mutate: 'KernelParams(bpg, tpb, bytes)' -> 'KernelParams(bpg, bpg, _)', ', bytes: int' -> '', 'enough: bytes >= 64, ' -> ''
//   => UNPROVED[OG315] blocks();
// mutate: 'bytes >= 64' -> 'bytes >= 65' => UNPROVED[OG315] blocks();
// mutate: 'kernel_launch(n, bpg, 64)' -> 'kernel_launch(n, bpg, 63)' => UNPROVED[OG315] blocks();
// mutate: '"_Res == bpg"' -> '"_Res == bpg - 1"' => UNPROVED[OG305] for b in 0..n -> for t in 0..bpg -> &a[b * bpg + t] ~~>[GMem] n

#include <optigpu.h>

__device__ int blocks() {
  __requires("bpg: int, tpb: int, bytes: int, t: int, enough: bytes >= 64, fits: bpg <= INT_MAX");
  __preserves("ThreadsCtx(t ..+ 1)");
  __reads("KernelParams(bpg, tpb, bytes)");
  __ensures("_Res == bpg");
  __admitted();
}

void fill(int n, int bpg, int* a) {
  __requires("blocks: n >= 0, threads: 1 <= bpg, few: bpg <= 1024");
  __writes("for b in 0..n -> for t in 0..bpg -> &a[b * bpg + t] ~~>[GMem] n");
  kernel_launch(n, bpg, 64);
  kernel_setup_end();
  thread for (int b = 0; b < n; b++) {
    thread for (int t = 0; t < bpg; t++) {
      a[b * bpg + t] = blocks();
    }
  }
  kernel_teardown_begin();
  kernel_kill();
}
