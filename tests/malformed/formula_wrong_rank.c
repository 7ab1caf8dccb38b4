#include <optigpu.h>
void f(int n, float a[n]) {
  __reads("a ~> Matrix2(n, n, fun i j -> 0)");
}
