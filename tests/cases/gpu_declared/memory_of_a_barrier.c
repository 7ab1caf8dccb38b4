// A barrier synchronises the memory that its predicate holds of, and no other.
// expect: VERIFIED
// assumptions: 2
// mutate: 'shared_mem(SMem)' -> 'shared_mem(GMem)' => UNPROVED[OG341] s[63 - t]
// mutate: '  sync();\n  // shared' -> '  // shared' => REFUTED[OG341] s[63 - t]
// mutate: 'a[b * 64 + t] = s[63 - t];'
//   -> 'a[b * 64 + t] = s[63 - t];\n}\nsync();\nthread for (int t = 0; t < 64; t++) {\na[b * 64 + (63 - t)] = 0.0f;'
//   => UNPROVED[OG341] a[b * 64 + (63 - t)] = 0.0f;
// mutate: 'a[b * 64 + t] = s[63 - t];'
//   -> 'a[b * 64 + t] = s[63 - t];\n}\nsync();\nthread for (int t = 0; t < 64; t++) {\na[b * 64 + (63 - t)] = 0.0f;',
//   'Sync(shared_mem, H)' -> 'Sync(block_sync_mem, H)'
//   => VERIFIED

#include <optigpu.h>

__DECL(shared_mem, "MemType -> Prop");
__AXIOM(for_shared, "shared_mem(SMem)");

__device__ void sync() {
  __requires("H: HProp, tpb: int, t: int");
  __preserves("ThreadsCtx(t ..+ tpb)");
  __reads("KernelParams(_, tpb, _)");
  __consumes("H");
  __produces("Sync(shared_mem, H)");
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
  sync();
  // shared
    thread for (int t = 0; t < 64; t++) {
      a[b * 64 + t] = s[63 - t];
    }
  }
  kernel_teardown_begin();
  kernel_kill();
}
