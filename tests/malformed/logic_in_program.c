#include <optigpu.h>
void f(int n, float a[n]) {
  __requires("A: int -> float");
  a[0] = A(0);
}
