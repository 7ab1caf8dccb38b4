// Sums of unsigned numbers are modulo 2^32.
// expect: VERIFIED
// run: clean
// also: replay, standin
// mutate: "wrap32(Sum(i in 0..n, A(i)))" -> "Sum(i in 0..n, A(i))" => UNPROVED[OG305] 2nd out ~> Matrix1Of
#include <optigpu.h>
void f(int n, uint32_t a[n], uint32_t out[1]) {
  __requires("A: int -> int, 0 <= n");
  __reads("a ~> Matrix1Of(n, GMem, A)");
  __consumes("out ~> Matrix1Of(1, GMem, fun c -> 0)");
  __produces("out ~> Matrix1Of(1, GMem, fun c -> wrap32(Sum(i in 0..n, A(i))))");
  kernel_launch(n, 1, 0);
  kernel_setup_end();
  thread for (int i = 0; i < n; i++) {
    atomicAdd(&out[0], a[i]);
  }
  kernel_teardown_begin();
  kernel_kill();
}
