// A declared barrier moves no registers between threads.
// expect: VERIFIED
// assumptions: 1
// mutate: 'x[DMINDEX1(64, t)] + s' -> 'x[DMINDEX1(64, 63 - t)] + s' => UNPROVED[OG344] x[DMINDEX1(64, 63 - t)]
// mutate: '__with("H := desync_for t in ..64 -> &s[t] ~> Cell");'
//   -> '__with("H := desync_for t in ..64 -> &x[DMINDEX1(64, t)] ~> Cell");'
//   => UNSUPPORTED[OG300] &x[DMINDEX1(64, t)] ~> Cell
// mutate: 'desync_for t in ..64 -> &s[t] ~> Cell'
//   -> '(desync_for t in ..64 -> &s[t] ~> Cell) * (desync_for t in ..64 -> &s[t] ~> Cell)'
//   => UNPROVED[OG322] desync_for t in ..64 -> &s[t] ~> Cell) * (desync_for t in ..64 -> &s[t] ~> Cell
// mutate: 'desync_for t in ..64 -> &s[t] ~> Cell' -> 'desync_for t in ..64 -> &s[63 - t] ~> Cell'
//   => UNPROVED[OG341] desync_for t in ..64 -> &s[63 - t] ~> Cell
// mutate: 'desync_for t in ..64 -> &s[t] ~> Cell' -> 'desync_for t in ..64 -> &s[t + 1] ~> Cell'
//   => UNPROVED[OG322] desync_for t in ..64 -> &s[t + 1] ~> Cell

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
  __requires("A: int -> float, blocks: n >= 0");
  __consumes("for i in 0..n * 64 -> &a[i] ~~>[GMem] A(i)");
  __produces("for b in 0..n -> for t in 0..64 -> &a[b * 64 + t] ~~>[GMem] A(b * 64 + t) + A(b * 64 + (63 - t))");
  kernel_launch(n, 64, 256);
  kernel_setup_end();
  thread for (int b = 0; b < n; b++) {
    __shared__ float s[64];
    float* const x = __treg_malloc0<float>();
    thread for (int t = 0; t < 64; t++) {
      s[t] = a[b * 64 + t];
      x[DMINDEX1(64, t)] = a[b * 64 + t];
    }
    my_blocksync();
    __with("H := desync_for t in ..64 -> &s[t] ~> Cell");
    thread for (int t = 0; t < 64; t++) {
      a[b * 64 + t] = x[DMINDEX1(64, t)] + s[63 - t];
    }
  }
  kernel_teardown_begin();
  kernel_kill();
}
