// A shared array of a loop's body is in use until the whole block waits: a declared barrier of the block for shared memory will do.
// expect: VERIFIED
// assumptions: 1
// mutate: '      my_blocksync();\n      // end' -> '      // end' => UNPROVED[OG352] float s

#include <optigpu.h>

__device__ void my_blocksync() {
  __requires("H: HProp, tpb: int, t: int");
  __preserves("ThreadsCtx(t ..+ tpb)");
  __reads("KernelParams(_, tpb, _)");
  __consumes("H");
  __produces("Sync(block_sync_mem, H)");
  __admitted();
}

void reverse(int n, float* a) {
  __requires("blocks: n >= 0");
  __preserves("for i in 0..n * 64 -> &a[i] ~>[GMem] Cell");
  kernel_launch(n, 64, 256);
  kernel_setup_end();
  thread for (int b = 0; b < n; b++) {
    for (int r = 0; r < 4; r++) {
      __shared__ float s[64];
      thread for (int t = 0; t < 64; t++) {
        s[t] = a[b * 64 + t];
      }
      my_blocksync();
      thread for (int t = 0; t < 64; t++) {
        a[b * 64 + t] = s[63 - t];
      }
      my_blocksync();
      // end
    }
  }
  kernel_teardown_begin();
  kernel_kill();
}
