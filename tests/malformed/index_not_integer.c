#include <optigpu.h>
void f(int n, float a[n]) {
  a[1.5f] = 1.0f;
}
