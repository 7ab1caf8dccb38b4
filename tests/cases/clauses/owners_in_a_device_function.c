// `desync_for` in the contract of a loop of a device function: which of the calling threads owns which cell.
// expect: VERIFIED
// run: clean
// also: annotated, replay
// mutate: "spreserves(\"desync_for t in ..8 -> &s[t]" -> "spreserves(\"for t in 0..8 -> &s[t]" => UNPROVED[OG341] for t in 0..8 -> &s[t] ~~>[SMem] A(t) + k
// mutate: "spreserves(\"desync_for t in ..8 -> &s[t] ~~>[SMem] A(t) + k"
//   -> "spreserves(\"desync_for t in ..8 -> &s[7 - t] ~~>[SMem] A(7 - t) + k"
//   => UNPROVED[OG341] desync_for t in ..8 -> &s[7 - t] ~~>[SMem] A(7 - t) + k
// mutate: "spreserves(\"desync_for t in ..8 -> &s[t] ~~>[SMem] A(t) + k" -> "spreserves(\"desync_for t in ..8 -> &s[t] ~~>[SMem] A(t)"
//   => UNPROVED[OG318] for (int k = 0; k < 3; k++)
// mutate: "desync_for t in ..8 -> &s[t] ~~>[SMem] A(t) + 3" -> "for t in 0..8 -> &s[t] ~~>[SMem] A(t) + 3" => UNPROVED[OG341] for t in 0..8 -> &s[t] ~~>[SMem] A(t) + 3

#include <optigpu.h>
__device__ void add_three(float s[8]) {
  __requires("A: int -> float");
  __preserves("ThreadsCtx(8)");
  __consumes("desync_for t in ..8 -> &s[t] ~~>[SMem] A(t)");
  __produces("desync_for t in ..8 -> &s[t] ~~>[SMem] A(t) + 3");
  for (int k = 0; k < 3; k++) {
    __spreserves("desync_for t in ..8 -> &s[t] ~~>[SMem] A(t) + k");
    thread for (int t = 0; t < 8; t++) {
      s[t] += 1;
    }
  }
}

void f(int B, float h[B][8]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 8, A)");
  __produces("h ~> Matrix2(B, 8, fun b t -> A(b, t) + 3)");
  float* const d = __gmem_malloc2<float>(B, 8);
  memcpy_host_to_device2(d, h, B, 8);
  kernel_launch(B, 8, 8 * sizeof(float));
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __shared__ float s[8];
    thread for (int t = 0; t < 8; t++) {
      s[t] = d[b][t];
    }
    add_three(s);
    thread for (int t = 0; t < 8; t++) {
      d[b][t] = s[t];
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(h, d, B, 8);
  gmem_free(d);
}
