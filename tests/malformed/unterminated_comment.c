#include <optigpu.h>
void f(int n, float a[n]) {
  /* never closed
  a[0] = 1.0f;
}
