#include <optigpu.h>
void f(int n, float a[n]) {
  float x = a + 1.0f;
}
