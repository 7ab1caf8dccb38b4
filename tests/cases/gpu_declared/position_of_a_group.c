// Where in the grid a group begins is not known, so that nothing is assumed of it: `t` in ThreadsCtx(t ..+ M) stands nowhere else.
// expect: VERIFIED
// assumptions: 1
// mutate: '"_Res >= 0"' -> '"_Res == t"' => REJECTED[OG110] t ..+ 1)");
// mutate: 'ThreadsCtx(t ..+ 1)' -> 'ThreadsCtx(m ..+ 1)' => REJECTED[OG110] m ..+ 1)");
// mutate: 'ThreadsCtx(t ..+ 1)' -> 'ThreadsCtx(32 ..+ 1)' => REJECTED[OG110] 32
// mutate: 'ThreadsCtx(t ..+ 1)' -> 'ThreadsCtx(t + 1 ..+ 1)' => REJECTED[OG110] t + 1
// mutate: 'ThreadsCtx(t ..+ 1)' -> 'ThreadsCtx(t ..+ t - 5)' => REJECTED[OG110] t ..+ t - 5)");
// mutate: 'ThreadsCtx(t ..+ 1)' -> 'ThreadsCtx(t .. 6)' => REJECTED[OG110] t .. 6)");
// mutate: 'ThreadsCtx(t ..+ 1)' -> 'ThreadsCtx(0 ..+ 1)' => VERIFIED

#include <optigpu.h>

__device__ int number(int m) {
  __requires("t: int");
  __preserves("ThreadsCtx(t ..+ 1)");
  __ensures("_Res >= 0");
  __admitted();
}

void fill(int n, int* a) {
  __requires("blocks: n >= 0");
  __writes("for i in 0..n * 64 -> &a[i] ~>[GMem] Cell");
  kernel_launch(n, 64, 0);
  kernel_setup_end();
  thread for (int b = 0; b < n; b++) {
    thread for (int t = 0; t < 64; t++) {
      a[b * 64 + t] = number(3);
    }
  }
  kernel_teardown_begin();
  kernel_kill();
}
