#include <optigpu.h>
void f(int n, double a[n]) {
  float* const d = __gmem_malloc1<float>(n);
  memcpy_host_to_device1(d, a, n);
}
