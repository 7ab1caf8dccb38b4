#include <optigpu.h>
void f(int n, float a[n], float b[n]) {
  shfl_down(a, b, 1);
}
