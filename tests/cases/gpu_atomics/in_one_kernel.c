// Several atomic operations of a thread, in a loop and under a condition; loops of the grid, one after the other and repeated.
// expect: VERIFIED
// run: clean
// also: replay, standin
// mutate: "atomicAdd(&out[0], s);" -> "atomicAdd(&out[0], s + 1.0f);" => REFUTED[OG305] 2nd out ~> Matrix1Of
// mutate: "if (n > 0)" -> "if (n > 1)" => REFUTED[OG305] 2nd out ~> Matrix1Of
// mutate: "for (int r = 0; r < 2; r++)" -> "for (int r = 0; r < 3; r++)" => REFUTED[OG305] 2nd out ~> Matrix1Of
// mutate: "atomicAdd(&out[0], s);" -> "out[0] += s;" => REFUTED[OG340] out[0] += s;
#include <optigpu.h>
void f(int g, int n, float a[4 * g], float out[1]) {
  __requires("A: int -> float, 0 <= g && g <= 1000");
  __reads("a ~> Matrix1Of(4 * g, GMem, A)");
  __consumes("out ~> Matrix1Of(1, GMem, fun c -> 1.0f)");
  __produces("out ~> Matrix1Of(1, GMem, fun c -> n > 0 ? 1.0f + 2.0f * Sum(i in 0..4 * g, A(i)) : 1.0f)");
  kernel_launch(g, 2, 0);
  kernel_setup_end();
  if (n > 0) {
    for (int r = 0; r < 2; r++) {
      thread for (int b = 0; b < g; b++) {
        thread for (int t = 0; t < 2; t++) {
          float s = 0.0f;
          for (int k = 0; k < 2; k++) {
            s += a[4 * b + 2 * k + t];
          }
          atomicAdd(&out[0], s);
        }
      }
    }
  }
  kernel_teardown_begin();
  kernel_kill();
}
