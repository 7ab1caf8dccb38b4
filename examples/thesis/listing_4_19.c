// Listing 4.19: the contract of a block barrier. `blocksync` is compared with the built-in rule and adds nothing. `my_blocksync` is a
// function of the program that is declared by the same contract alone: what it does is assumed, and the ledger lists it.
// H is everything that the block holds of the memory types of `block_sync_mem`, unless __with gives it: as on a GPU, one barrier is
// for all of it. It orders reads before it with writes after it, too.

#include <optigpu.h>

void blocksync() {
  __requires("H: HProp, tpb: int, t: int");
  __preserves("ThreadsCtx(t ..+ tpb)");
  __reads("KernelParams(_, tpb, _)");
  __consumes("H");
  __produces("Sync(block_sync_mem, H)");
  __admitted();
}

__device__ void my_blocksync() {
  __requires("H: HProp, tpb: int, t: int");
  __preserves("ThreadsCtx(t ..+ tpb)");
  __reads("KernelParams(_, tpb, _)");
  __consumes("H");
  __produces("Sync(block_sync_mem, H)");
  __admitted();
}

void reverse(int n, float* a) {
  __requires("A: int -> float, blocks: n >= 0");
  __consumes("for i in 0..n * 64 -> &a[i] ~~>[GMem] A(i)");
  __produces("for b in 0..n -> for t in 0..64 -> &a[b * 64 + t] ~~>[GMem] A(b * 64 + (63 - t))");
  kernel_launch(n, 64, 256);
  kernel_setup_end();
  thread for (int b = 0; b < n; b++) {
    __shared__ float s[64];
    thread for (int t = 0; t < 64; t++) {
      s[t] = a[b * 64 + t];
    }
    my_blocksync();
    thread for (int t = 0; t < 64; t++) {
      a[b * 64 + t] = s[63 - t];
    }
  }
  kernel_teardown_begin();
  kernel_kill();
}
