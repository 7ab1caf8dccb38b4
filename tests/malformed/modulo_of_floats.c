#include <optigpu.h>
void f(int n, float a[n]) {
  a[0] = a[0] % 2.0f;
}
