#include <optigpu.h>

// b = a
void copy(int n, float a[n], float b[n]) {
  __requires("A: int -> float");
  __reads("a ~> Matrix1(n, A)");
  __writes("b ~> Matrix1(n, A)");
  for (int i = 0; i < n; i++) {
    b[i] = a[i];
  }
}
