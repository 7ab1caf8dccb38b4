#include <optigpu.h>

// Reductions for kernels, each called by the group of threads that its contract names.

// The sum of a block's 256 numbers, one a thread, by a tree in shared memory. Afterwards s[0] is everyone's to read.
__device__ void sum_block(float s[256]) {
  __requires("A: int -> float");
  __preserves("ThreadsCtx(256)");
  __reads("KernelParams(_, 256, _)");
  __consumes("desync_for t in ..256 -> &s[t] ~~>[SMem] A(t)");
  __produces("&s[0] ~~>[SMem] Sum(t in 0..256, A(t)), for t in 1..256 -> &s[t] ~>[SMem] Cell");
  for (int h = 128; h > 0; h >>= 1) {
    blocksync();
    thread for (int t = 0; t < 256; t++) {
      if (t < h) {
        s[t] += s[t + h];
      }
    }
  }
  blocksync();
}

// The sum of a warp's 32 numbers, one in a register of each lane, by shuffles. Afterwards the first lane has it.
__device__ void sum_warp(float x[32], float other[32]) {
  __requires("A: int -> float");
  __preserves("ThreadsCtx(32)");
  __consumes("desync_for l in ..32 -> &x[l] ~~>[TReg] A(l)");
  __produces("desync_for l in ..32 -> If(l == 0, &x[l] ~~>[TReg] Sum(k in 0..32, A(k))) * If(l > 0, &x[l] ~>[TReg] Cell)");
  __preserves("desync_for l in ..32 -> &other[l] ~>[TReg] UninitCell");
  for (int d = 16; d > 0; d >>= 1) {
    shfl_down(&other[0], &x[0], d);
    thread for (int l = 0; l < 32; l++) {
      if (l < d) {
        x[l] += other[l];
      }
    }
  }
}
