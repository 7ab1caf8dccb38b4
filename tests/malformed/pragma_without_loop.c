#include <optigpu.h>
void f(int n, float a[n]) {
  #pragma omp parallel for
  a[0] = 1.0f;
}
