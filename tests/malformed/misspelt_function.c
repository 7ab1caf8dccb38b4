#include <optigpu.h>
void f(int n, float a[n]) {
  a[0] = sqrft(2.0f);
}
