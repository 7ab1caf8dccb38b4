// Greatest and least numbers; bit operations leave some number.
// expect: VERIFIED
// run: clean
// also: replay, standin
// mutate: "atomicMax(&out[0]" -> "atomicMin(&out[0]" => REFUTED[OG305] &out[0] ~~>[GMem] max
// mutate: "atomicOr(&flags[0], 1);" -> "atomicOr(&flags[0], 1); atomicAnd(&flags[0], 1);" => REFUTED[OG340] atomicAnd
#include <optigpu.h>
void f(int n, int a[2 * n], int out[1], int low[1], int flags[1]) {
  __requires("A: int -> int, B: int, C: int, D: int, 1 <= n && n <= 100");
  __reads("a ~> Matrix1Of(2 * n, GMem, A)");
  __consumes("out ~> Matrix1Of(1, GMem, fun c -> B), low ~> Matrix1Of(1, GMem, fun c -> C), flags ~> Matrix1Of(1, GMem, fun c -> D)");
  __produces("&out[0] ~~>[GMem] max(B, Max(i in 0..2 * n, A(i)))");
  __produces("&low[0] ~~>[GMem] min(C, Min(i in 0..2 * n, A(i)))");
  __produces("&flags[0] ~>[GMem] Cell");
  kernel_launch(n, 2, 0);
  kernel_setup_end();
  thread for (int b = 0; b < n; b++) {
    thread for (int t = 0; t < 2; t++) {
      atomicMax(&out[0], a[2 * b + t]);
      atomicMin(&low[0], a[2 * b + t]);
      atomicOr(&flags[0], 1);
    }
  }
  kernel_teardown_begin();
  kernel_kill();
}
