// A permission is about its own array and not about a bound variable of that name.
// expect: VERIFIED
// mutate: "for c" -> "for a", "&b[c]" -> "&b[a]", '  __reads("a ~> Matrix1Of(n, GMem, A)");\n' -> "" => REFUTED[OG302] a[t]

#include <optigpu.h>
void f(int n, float* a, float* b) {
  __requires("A: int -> float");
  __reads("for c in 0..n -> &b[c] ~~>[GMem] 0.0f");
  __reads("a ~> Matrix1Of(n, GMem, A)");
  kernel_launch(1, 32, 0);
  kernel_setup_end();
  thread for (int t = 0; t < 32; t++) {
    if (t < n) {
      const float x = a[t];
    }
  }
  kernel_teardown_begin();
  kernel_kill();
}
