#include <optigpu.h>
void f(int n, float a[n]) {
  int x = 1
  a[0] = x;
}
