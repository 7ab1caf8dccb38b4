#include <optigpu.h>
void f(int n, float a[n]) {
  __shared__ float s;
}
