#include <optigpu.h>
void f(int n, float a[n]) {
  float* const p = malloc(n);
}
