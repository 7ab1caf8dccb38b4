// A binder has the type of the index it stands for.
// expect: VERIFIED
// mutate: "(i: int)" -> "(i: float)" => REJECTED[OG102] i: float) -> i / 2)");

#include <optigpu.h>
void f(int n, float a[n]) {
  __writes("a ~> Matrix1(n, fun (i: int) -> i / 2)");
  for (int i = 0; i < n; i++) a[i] = i / 2;
}
