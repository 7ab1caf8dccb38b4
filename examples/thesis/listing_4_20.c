// Listing 4.20: the contract of the barrier in the teardown phase, typed in under its own name and under another one. Both are the
// built-in operation, and nothing is admitted: the end of the threads has ordered all their accesses before.

#include <optigpu.h>

void kernel_teardown_sync() {
  __requires("H: HProp");
  __reads("KernelTeardownCtx");
  __consumes("H");
  __produces("Sync(block_sync_mem, H)");
  __admitted();
}

void wait_for_kernel() {
  __requires("K: HProp");
  __reads("KernelTeardownCtx");
  __consumes("K");
  __produces("Sync(block_sync_mem, K)");
  __admitted();
}

void fill(int n, float* a) {
  __requires("blocks: n >= 0");
  __writes("for i in 0..n * 32 -> &a[i] ~~>[GMem] 1");
  kernel_launch(n, 32, 0);
  kernel_setup_end();
  thread for (int b = 0; b < n; b++) {
    thread for (int t = 0; t < 32; t++) {
      a[b * 32 + t] = 1.0f;
    }
  }
  kernel_teardown_begin();
  kernel_teardown_sync();
  wait_for_kernel();
  kernel_kill();
}
