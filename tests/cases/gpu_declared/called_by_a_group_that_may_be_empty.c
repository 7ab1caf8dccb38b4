// An admitted function of a group without threads does nothing, and ensures nothing.
// expect: UNPROVED[OG346] only_small(n);

#include <optigpu.h>
__device__ void only_small(int n) {
  __requires("m: int, b: int");
  __reads("KernelParams(_, b, _)");
  __preserves("ThreadsCtx(m)");
  __ensures("n <= 100");
  __admitted();
}
void f(int n, int g, int a[1]) {
  __requires("n > 0 && n < 1000 && g >= 0 && g < 10");
  __writes("a ~> Matrix1(1, fun i -> 1)");
  kernel_launch(g, 32, 0);
  kernel_setup_end();
  only_small(n);
  kernel_teardown_begin();
  kernel_kill();
  a[0] = 1 + n / 101;
}
