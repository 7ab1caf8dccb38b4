#include <optigpu.h>
void f(int n, float a[n]) {
  __requires("a ~> Matrix1(n, fun i -> 0)");
}
