#include <optigpu.h>
void f(int n, float a[n]) {
  float* const p = MALLOC2(float, n);
}
