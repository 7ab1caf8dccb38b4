#include <optigpu.h>
void f(int n, float a[n]) {
  __reads("a ~> Matrix1(n, B)");
}
