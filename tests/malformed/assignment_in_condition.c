#include <optigpu.h>
void f(int n, float a[n]) {
  if (n = 1) { a[0] = 1.0f; }
}
