// exact_div in the size of a permission must divide.
// expect: VERIFIED
// mutate: ", n % 4 == 0" -> "" => UNPROVED[OG361] exact_div(n, 4)

#include <optigpu.h>
void f(int n, int a[n]) {
  __requires("n >= 0, n % 4 == 0");
  __writes("a ~> Matrix1(exact_div(n, 4) * 4, fun i -> 1)");
  for (int i = 0; i < n / 4 * 4; i++) a[i] = 1;
}
