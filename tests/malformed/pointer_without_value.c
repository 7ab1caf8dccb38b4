#include <optigpu.h>
void f(int n, float a[n]) {
  float* p;
}
