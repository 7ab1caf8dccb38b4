#include <optigpu.h>
void f(int n, float a[n]) {
  __requires("0 <= n < 10");
}
