// A collective function is called by the group that its contract states: so many threads, and with KernelParams a whole block.
// expect: VERIFIED
// assumptions: 1
// mutate: '    half_sync();\n' -> '' => REFUTED[OG341] s[h][31 - t]
// mutate: 's[h][31 - t]' -> 's[1 - h][31 - t]' => UNPROVED[OG340] s[h][t] = a[b * 64 + (h * 32 + t)];
// mutate: 'ThreadsCtx(t ..+ 32)' -> 'ThreadsCtx(t ..+ 64)' => UNPROVED[OG346] half_sync();
// mutate: 'ThreadsCtx(t ..+ 32)' -> 'ThreadsCtx(t ..+ M)' => VERIFIED
// mutate: '__consumes("H")' -> '__reads("KernelParams(_, 32, _)");\n  __consumes("H")' => UNPROVED[OG315] half_sync();
// mutate: '    half_sync();\n' -> '    if (h == 0) { half_sync(); }\n' => UNPROVED[OG341] s[h][31 - t]
// mutate: '    half_sync();\n' -> '    thread for (int t = 0; t < 32; t++) { if (t < 8) { half_sync(); } }\n'
//   => UNPROVED[OG346] half_sync();

#include <optigpu.h>

__device__ void half_sync() {
  __requires("H: HProp, t: int, M: int");
  __preserves("ThreadsCtx(t ..+ 32)");
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
    __shared__ float s[2][32];
    thread for (int h = 0; h < 2; h++) {
    thread for (int t = 0; t < 32; t++) {
      s[h][t] = a[b * 64 + (h * 32 + t)];
    }
    half_sync();
    thread for (int t = 0; t < 32; t++) {
      a[b * 64 + (h * 32 + t)] = s[h][31 - t];
    }
    }
  }
  kernel_teardown_begin();
  kernel_kill();
}
