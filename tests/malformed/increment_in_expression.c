#include <optigpu.h>
void f(int n, float a[n]) {
  int i = 0;
  a[i++] = 1.0f;
}
