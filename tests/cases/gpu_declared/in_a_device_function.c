// A declared barrier in a device function with a body, and in a loop: two barriers in each round.
// expect: VERIFIED
// assumptions: 1
// mutate: '__reads("KernelParams(_, 64, _)");\n  __consumes("for' -> '__consumes("for' => UNPROVED[OG346] 1st my_blocksync();
// mutate: '    my_blocksync();\n    // read' -> '    // read' => UNPROVED[OG341] s[63 - t]
// mutate: '    my_blocksync();\n    // next' -> '    // next' => UNPROVED[OG342] s[t] = a[t];

#include <optigpu.h>

__device__ void my_blocksync() {
  __requires("H: HProp, tpb: int, t: int");
  __preserves("ThreadsCtx(t ..+ tpb)");
  __reads("KernelParams(_, tpb, _)");
  __consumes("H");
  __produces("Sync(block_sync_mem, H)");
  __admitted();
}

__device__ void rounds(float s[64], float* a) {
  __preserves("ThreadsCtx(64)");
  __reads("KernelParams(_, 64, _)");
  __consumes("for i in ..64 -> &s[i] ~>[SMem] UninitCell, desync_for i in ..64 -> &a[i] ~>[GMem] Cell");
  __produces("for i in ..64 -> &s[i] ~>[SMem] UninitCell, desync_for i in ..64 -> &a[i] ~>[GMem] Cell");
  for (int r = 0; r < 8; r++) {
    thread for (int t = 0; t < 64; t++) {
      s[t] = a[t];
    }
    my_blocksync();
    // read
    thread for (int t = 0; t < 64; t++) {
      a[t] = s[63 - t];
    }
    my_blocksync();
    // next
  }
}
