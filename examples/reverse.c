#include <optigpu.h>

// b is a from back to front
void reverse(int n, float a[n], float b[n]) {
  __requires("A: int -> float");
  __reads("a ~> Matrix1(n, A)");
  __writes("b ~> Matrix1(n, fun i -> A(n - 1 - i))");
  for (int i = 0; i < n; i++) {
    b[n - 1 - i] = a[i];
  }
}
