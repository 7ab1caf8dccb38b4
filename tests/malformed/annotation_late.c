#include <optigpu.h>
void f(int n, float a[n]) {
  a[0] = 1.0f;
  __requires("n > 0");
}
