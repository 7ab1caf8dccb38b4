#include <optigpu.h>
void f(int n, float a[n]) {
  __spreserves("a ~> Matrix1(n, fun i -> 0)");
}
