// Cells that a barrier's contract names itself are not in H: they belong to whom the contract says. What it reads may be read late.
// expect: VERIFIED
// assumptions: 1
// mutate: 'u[63 - t]' -> 'u[63 - t] + s[63 - t]' => UNPROVED[OG341] s[63 - t]
// mutate: '__produces("desync_for i in ..64 -> &s[i] ~~>[SMem] 2 * S(i)")'
//   -> '__produces("for i in ..64 -> &s[i] ~~>[SMem] 2 * S(i)")',
//   'u[63 - t]' -> 'u[63 - t] + s[63 - t]' => VERIFIED
// mutate: '__consumes("desync_for i in ..64 -> &s[i] ~~>[SMem] S(i)");\n  __produces("desync_for i in ..64 -> &s[i] ~~>[SMem] 2 * S(i)");'
//   -> '__reads("desync_for i in ..64 -> &s[i] ~~>[SMem] S(i)");', 'a[b * 64 + t] = u[63 - t]'
//   -> 'a[b * 64 + t] = u[63 - t]; s[t] = 0.0f'
//   => UNPROVED[OG342] s[t] = 0.0f;
// mutate: '__consumes("desync_for i in ..64 -> &s[i] ~~>' -> '__consumes("desync_for i in ..64 -> &s[63 - i] ~~>'
//   => UNPROVED[OG341] double_and_sync(s);

#include <optigpu.h>

__device__ void double_and_sync(float s[64]) {
  __requires("S: int -> float, H: HProp, t: int");
  __preserves("ThreadsCtx(t ..+ 64)");
  __reads("KernelParams(_, 64, _)");
  __consumes("desync_for i in ..64 -> &s[i] ~~>[SMem] S(i)");
  __produces("desync_for i in ..64 -> &s[i] ~~>[SMem] 2 * S(i)");
  __consumes("H");
  __produces("Sync(block_sync_mem, H)");
  __admitted();
}

void reverse(int n, float* a) {
  __requires("blocks: n >= 0");
  __preserves("for i in 0..n * 64 -> &a[i] ~>[GMem] Cell");
  kernel_launch(n, 64, 512);
  kernel_setup_end();
  thread for (int b = 0; b < n; b++) {
    __shared__ float s[64];
    __shared__ float u[64];
    thread for (int t = 0; t < 64; t++) {
      s[t] = a[b * 64 + t];
      u[t] = a[b * 64 + t];
    }
    double_and_sync(s);
    thread for (int t = 0; t < 64; t++) {
      a[b * 64 + t] = u[63 - t];
    }
  }
  kernel_teardown_begin();
  kernel_kill();
}
