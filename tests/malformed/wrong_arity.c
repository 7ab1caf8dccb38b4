#include <optigpu.h>
void f(int n, float a[n]) {
  a[0] = sqrtf(1.0f, 2.0f);
}
