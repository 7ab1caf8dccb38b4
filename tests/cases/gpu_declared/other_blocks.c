// A barrier of a block says nothing of what other blocks read: a share of memory that is lent to the group stays a share.
// expect: VERIFIED
// assumptions: 1
// mutate: 'out[b * 64 + t] = first + 1.0f;' -> 'a[b * 64 + t] = first;' => UNPROVED[OG340] a[b * 64 + t] = first;
// mutate: '      out[b * 64 + t] = first + 1.0f;'
//   -> '      out[b * 64 + t] = first; } my_blocksync(); thread for (int t = 0; t < 64; t++) { a[b * 64 + t] = 0.0f;'
//   => UNPROVED[OG340] a[b * 64 + t] = 0.0f;
// mutate: '      out[b * 64 + t] = first + 1.0f;'
//   -> '      out[b * 64 + t] = first; } my_blocksync(); thread for (int t = 0; t < 64; t++) { out[b * 64 + (63 - t)] = 0.0f;'
//   => VERIFIED

#include <optigpu.h>

__device__ void my_blocksync() {
  __requires("H: HProp, tpb: int, t: int");
  __preserves("ThreadsCtx(t ..+ tpb)");
  __reads("KernelParams(_, tpb, _)");
  __consumes("H");
  __produces("Sync(block_sync_mem, H)");
  __admitted();
}

void copy_first(int n, float* a, float* out) {
  __requires("blocks: n >= 1");
  __preserves("for i in 0..n * 64 -> &a[i] ~>[GMem] Cell");
  __writes("for i in 0..n * 64 -> &out[i] ~>[GMem] Cell");
  kernel_launch(n, 64, 0);
  kernel_setup_end();
  thread for (int b = 0; b < n; b++) {
    const float first = a[0];
    my_blocksync();
    thread for (int t = 0; t < 64; t++) {
      out[b * 64 + t] = first + 1.0f;
    }
  }
  kernel_teardown_begin();
  kernel_kill();
}
