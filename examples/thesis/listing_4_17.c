// Listing 4.17 of the thesis: `__treg_malloc0` allocates a register of each thread of the group that executes it, here 64 threads.
// After it, thread i owns its own uninitialised register, `&x[DMINDEX1(64, i)] ~>[TReg] UninitCell`: the contract that `set_all` needs.
// The memory is freed at the end of its scope.
#include <optigpu.h>

__device__ void set_all(int x[64]) {
  __preserves("ThreadsCtx(64)");
  __consumes("desync_for i in ..64 -> &x[i] ~>[TReg] UninitCell");
  __produces("desync_for i in ..64 -> &x[i] ~~>[TReg] i");
  thread for (int i = 0; i < 64; i++) {
    x[i] = i;
  }
}

__device__ void use(int a[64]) {
  __preserves("ThreadsCtx(64)");
  __consumes("desync_for i in ..64 -> &a[i] ~>[GMem] UninitCell");
  __produces("desync_for i in ..64 -> &a[i] ~~>[GMem] i");
  int* const x = __treg_malloc0<int>();
  set_all(x);
  thread for (int i = 0; i < 64; i++) {
    a[i] = x[DMINDEX1(64, i)];
  }
}
