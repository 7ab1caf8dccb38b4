// A float array whose contents are given by an integer function.
// expect: VERIFIED
// mutate: "= b[i]" -> "= b[i] / 2.0f" => REFUTED[OG305] a ~> Matrix1(n, B)

#include <optigpu.h>
void f(int n, int b[n], float a[n]) {
  __requires("B: int -> int");
  __reads("b ~> Matrix1(n, B)");
  __writes("a ~> Matrix1(n, B)");
  for (int i = 0; i < n; i++) a[i] = b[i];
}
