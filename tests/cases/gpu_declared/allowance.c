// SMemAllowance is what is left of the launch's shared memory where the function is called.
// expect: VERIFIED
// assumptions: 1
// mutate: 'sz >= 256' -> 'sz >= 257' => UNPROVED[OG315] needs_shared();
// mutate: 'kernel_launch(n, 64, 512)' -> 'kernel_launch(n, 64, 511)' => UNPROVED[OG315] needs_shared();
// mutate: 'SMemAllowance(sz)' -> 'SMemAllowance(512)', ', sz: int, enough: sz >= 256' -> '' => UNPROVED[OG315] needs_shared();
// mutate: 'SMemAllowance(sz)' -> 'SMemAllowance(256)', ', sz: int, enough: sz >= 256' -> '' => VERIFIED
// mutate: '__reads("SMemAllowance(sz)")' -> '__consumes("SMemAllowance(sz)")' => UNSUPPORTED[OG300] SMemAllowance(sz)
// mutate: '  __admitted();\n' -> '' => UNSUPPORTED[OG300] SMemAllowance(sz)
// mutate: '__device__ void needs_shared' -> 'void needs_shared' => UNSUPPORTED[OG300] ThreadsCtx(t ..+ 64)

#include <optigpu.h>

__device__ void needs_shared() {
  __requires("t: int, sz: int, enough: sz >= 256");
  __preserves("ThreadsCtx(t ..+ 64)");
  __reads("SMemAllowance(sz)");
  __admitted();
}

void fill(int n, float* a) {
  __requires("blocks: n >= 0");
  __writes("for i in 0..n * 64 -> &a[i] ~>[GMem] Cell");
  kernel_launch(n, 64, 512);
  kernel_setup_end();
  thread for (int b = 0; b < n; b++) {
    __shared__ float s[64];
    needs_shared();
    thread for (int t = 0; t < 64; t++) {
      s[t] = 1.0f;
      a[b * 64 + t] = s[t];
    }
  }
  kernel_teardown_begin();
  kernel_kill();
}
