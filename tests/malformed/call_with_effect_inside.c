#include <optigpu.h>
float g(float a[4]) {
  __preserves("a ~> Matrix1(4, fun i -> 0)");
  return 1.0f;
}
void f(float a[4]) {
  __preserves("a ~> Matrix1(4, fun i -> 0)");
  float x = 1.0f + g(a);
}
