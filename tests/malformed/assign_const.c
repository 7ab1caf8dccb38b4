#include <optigpu.h>
void f(int n, float a[n]) {
  const int x = 1;
  x = 2;
}
