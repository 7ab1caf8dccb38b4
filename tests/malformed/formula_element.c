#include <optigpu.h>
void f(int n, float a[n]) {
  __requires("a[0] > 0");
}
