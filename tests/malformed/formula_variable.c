#include <optigpu.h>
void f(int n, float a[n]) {
  int x = 1;
  x = 2;
  for (int i = 0; i < n; i++) {
    __invariant("x > 0");
  }
}
