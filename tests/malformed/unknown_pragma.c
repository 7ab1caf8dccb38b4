#include <optigpu.h>
void f(int n, float a[n]) {
  #pragma omp task
  for (int i = 0; i < n; i++) { }
}
