// What a cell holds at the end has to fit its type, in whatever order numbers were added. Unsigned numbers wrap around.
// expect: VERIFIED
// run: clean
// mutate: "-1000 <= A(i) && A(i) <= 1000" -> "-1000 <= A(i)" => UNPROVED[OG336] kernel_teardown_begin
// mutate: "n <= 100000" -> "n <= 10000000" => UNPROVED[OG336] kernel_teardown_begin
// mutate: "atomicAdd(&out[0], a[i]);" -> "atomicAdd(&out[0], 2 * a[i]);" => REFUTED[OG305] 2nd out ~> Matrix1Of
#include <optigpu.h>
void f(int n, int a[n], int out[1]) {
  __requires("A: int -> int, 0 <= n && n <= 100000");
  __requires("forall i in 0..n -> -1000 <= A(i) && A(i) <= 1000");
  __reads("a ~> Matrix1Of(n, GMem, A)");
  __consumes("out ~> Matrix1Of(1, GMem, fun c -> 0)");
  __produces("out ~> Matrix1Of(1, GMem, fun c -> Sum(i in 0..n, A(i)))");
  kernel_launch(n, 1, 0);
  kernel_setup_end();
  thread for (int i = 0; i < n; i++) {
    atomicAdd(&out[0], a[i]);
  }
  kernel_teardown_begin();
  kernel_kill();
}
