#include <optigpu.h>
void f(int n, float a[n]) {
  return 1.0f;
}
