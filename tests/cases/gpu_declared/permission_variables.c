// A variable of type HProp is consumed once and given back once: anything else would make permissions out of nothing.
// expect: VERIFIED
// assumptions: 1
// mutate: '  __consumes("H");\n' -> '' => REJECTED[OG110] H: HProp
// mutate: '  __consumes("H");\n' -> '  __consumes("H");\n  __consumes("H");\n' => REJECTED[OG110] H: HProp
// mutate: '  __produces("Sync(block_sync_mem, H)");\n' -> '' => REJECTED[OG110] H: HProp
// mutate: '__produces("Sync(block_sync_mem, H)")' -> '__produces("Sync(block_sync_mem, H), H")' => REJECTED[OG110] H: HProp
// mutate: '__produces("Sync(block_sync_mem, H)")' -> '__produces("Sync(block_sync_mem, Sync(block_sync_mem, H))")'
//   => REJECTED[OG110] Sync(block_sync_mem, Sync(block_sync_mem, H))
// mutate: '__produces("Sync(block_sync_mem, H)")' -> '__produces("for i in 0..2 -> H")' => REJECTED[OG110] for i in 0..2 -> H
// mutate: '__produces("Sync(block_sync_mem, H)")' -> '__produces("Sync(fun m -> m, H)")' => REJECTED[OG109] m, H)");
// mutate: '__produces("Sync(block_sync_mem, H)")' -> '__produces("Sync(GMem, H)")' => REJECTED[OG102] GMem, H)");
// mutate: '__produces("Sync(block_sync_mem, H)")' -> '__produces("Sync(H)")' => REJECTED[OG104] Sync(H)
// mutate: '__produces("Sync(block_sync_mem, H)")' -> '__ensures("H")' => REJECTED[OG109] 2nd H");
// mutate: 'H: HProp,' -> 'H: int -> HProp,' => REJECTED[OG109] H");
// mutate: '  __admitted();\n' -> '  blocksync();\n' => REJECTED[OG110] H: HProp
// mutate: '__device__ void my_blocksync' -> 'void my_blocksync' => REJECTED[OG110] H: HProp
// mutate: '__consumes("H");\n  __produces("Sync(block_sync_mem, H)")' -> '__preserves("H")' => UNPROVED[OG341] s[63 - t]
// mutate: '__consumes("H");\n  __produces("Sync(block_sync_mem, H)")' -> '__consumes("H");\n  __produces("H")'
//   => UNPROVED[OG341] s[63 - t]
// mutate: '__consumes("H");\n  __produces("Sync(block_sync_mem, H)")' -> '__preserves("H");\n  __reads("H")'
//   => REJECTED[OG110] H: HProp

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
