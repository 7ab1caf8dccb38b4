// Listing 4.13 of the thesis: the rule of `thread for`. A group of 64 threads executes the function: it is divided into N = 8 chunks of
// 8 threads, and chunk i takes H0(i) and gives back H(i). `desync_for` says before and after that H(i) belongs to chunk i. Inside, the
// chunk is divided again, into single threads. The last function shows what the rule forbids: without a barrier, no other thread may
// take the cell, so it needs one.
// Ours: a chunk is an interval of threads of its group, counted from 0; t0 needs no name.
#include <optigpu.h>

__device__ void chunks(float a[8][8]) {
  __requires("A: int * int -> float");
  __preserves("ThreadsCtx(64)");
  __consumes("desync_for i in ..8 -> for j in 0..8 -> &a[i][j] ~~>[GMem] A(i, j)");
  __produces("desync_for i in ..8 -> desync_for j in ..8 -> &a[i][j] ~~>[GMem] A(i, j) + 1");
  thread for (int i = 0; i < 8; i++) {
    __xconsumes("for j in 0..8 -> &a[i][j] ~~>[GMem] A(i, j)");
    __xproduces("desync_for j in ..8 -> &a[i][j] ~~>[GMem] A(i, j) + 1");
    thread for (int j = 0; j < 8; j++) {
      a[i][j] = a[i][j] + 1.0f;
    }
  }
}

__device__ void other_threads(float a[64]) {
  __requires("A: int -> float");
  __preserves("ThreadsCtx(64), KernelParams(_, 64, _)");
  __consumes("desync_for t in ..64 -> &a[t] ~~>[GMem] A(t)");
  __produces("desync_for t in ..64 -> &a[63 - t] ~~>[GMem] 2 * (A(63 - t) + 1)");
  thread for (int t = 0; t < 64; t++) {
    a[t] = a[t] + 1.0f;
  }
  blocksync();
  thread for (int t = 0; t < 64; t++) {
    a[63 - t] = 2.0f * a[63 - t];
  }
}
