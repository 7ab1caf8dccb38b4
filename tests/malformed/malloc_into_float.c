#include <optigpu.h>
void f(int n, float a[n]) {
  float x = MALLOC1(float, n);
}
