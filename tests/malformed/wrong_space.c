#include <optigpu.h>
void f(int n, float a[n]) {
  float* const d = __gmem_malloc1<float>(n);
  free(d);
}
