// `desync_for` in the contracts of loops of a kernel: which part of the threads owns which cells.
// expect: VERIFIED
// run: clean
// also: annotated, replay
// mutate: "spreserves(\"desync_for t in ..8 ->" -> "spreserves(\"for t in 0..8 ->"
//   => UNPROVED[OG341] for t in 0..8 -> &d[b][t] ~~>[GMem] A(b, t) + k
// mutate: "spreserves(\"desync_for t in ..8 -> &d[b][t] ~~>[GMem] A(b, t) + k"
//   -> "spreserves(\"desync_for t in ..8 -> &d[b][7 - t] ~~>[GMem] A(b, 7 - t) + k"
//   => UNPROVED[OG341] desync_for t in ..8 -> &d[b][7 - t] ~~>[GMem] A(b, 7 - t) + k
// mutate: "spreserves(\"desync_for t in ..8 -> &d[b][t] ~~>[GMem] A(b, t) + k"
//   -> "spreserves(\"desync_for t in ..4 -> for u in 0..2 -> &d[b][t * 2 + u] ~~>[GMem] A(b, t * 2 + u) + k"
//   => UNPROVED[OG341] desync_for t in ..4 -> for u in 0..2 -> &d[b][t * 2 + u] ~~>[GMem] A(b, t * 2 + u) + k
// mutate: "spreserves(\"desync_for t in ..8 -> &d[b][t] ~~>[GMem] A(b, t) + k"
//   -> "spreserves(\"desync_for t in ..8 -> &d[b][t] ~~>[GMem] A(b, t) + k + 1"
//   => UNPROVED[OG322] desync_for t in ..8 -> &d[b][t] ~~>[GMem] A(b, t) + k + 1
// mutate: "xproduces(\"desync_for t in ..8 ->" -> "xproduces(\"for t in 0..8 ->"
//   => UNPROVED[OG341] for t in 0..8 -> &d[b][t] ~~>[GMem] A(b, t) + 3
// mutate: "xproduces(\"desync_for t in ..8 -> &d[b][t] ~~>[GMem] A(b, t) + 3"
//   -> "xproduces(\"desync_for t in ..8 -> &d[b][7 - t] ~~>[GMem] A(b, 7 - t) + 3"
//   => UNPROVED[OG341] desync_for t in ..8 -> &d[b][7 - t] ~~>[GMem] A(b, 7 - t) + 3
// mutate: "&d[b][t] ~~>[GMem] A(b, t)\");\n      d[b]" -> "desync_for u in ..2 -> &d[b][t] ~~>[GMem] A(b, t)\");\n      d[b]"
//   => REFUTED[OG340] 1st thread for (int t = 0; t < 8; t++) {

#include <optigpu.h>
void f(int B, float h[B][8]) {
  __requires("A: int * int -> float, B_pos: B >= 1");
  __consumes("h ~> Matrix2(B, 8, A)");
  __produces("h ~> Matrix2(B, 8, fun b t -> A(b, t) + 3)");
  float* const d = __gmem_malloc2<float>(B, 8);
  memcpy_host_to_device2(d, h, B, 8);
  kernel_launch(B, 8, 0);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __xconsumes("for t in 0..8 -> &d[b][t] ~~>[GMem] A(b, t)");
    __xproduces("desync_for t in ..8 -> &d[b][t] ~~>[GMem] A(b, t) + 3");
    thread for (int t = 0; t < 8; t++) {
      __xconsumes("&d[b][t] ~~>[GMem] A(b, t)");
      __xproduces("&d[b][t] ~~>[GMem] A(b, t)");
      d[b][t] = d[b][t];
    }
    for (int k = 0; k < 3; k++) {
      __spreserves("desync_for t in ..8 -> &d[b][t] ~~>[GMem] A(b, t) + k");
      thread for (int t = 0; t < 8; t++) {
        d[b][t] += 1;
      }
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(h, d, B, 8);
  gmem_free(d);
}
