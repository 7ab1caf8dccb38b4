#include <optigpu.h>

void narrow(int n, float a[n], half b[n]) {
  __requires("A: int -> float");
  __reads("a ~> Matrix1(n, A)");
  __writes("b ~> Matrix1(n, A)");
  for (int i = 0; i < n; i++) {
    b[i] = a[i];
  }
}
