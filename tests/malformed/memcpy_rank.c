#include <optigpu.h>
void f(int n, float a[n][4]) {
  float* const d = __gmem_malloc2<float>(n, 4);
  memcpy_host_to_device1(d, a, n);
}
