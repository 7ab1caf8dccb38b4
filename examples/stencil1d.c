#include <optigpu.h>

// the mean of three neighbours; the two ends are copied
void stencil1d(int n, float a[n], float b[n]) {
  __requires("A: int -> float, size: n >= 2");
  __reads("a ~> Matrix1(n, A)");
  __writes("b ~> Matrix1(n, fun i -> i == 0 || i == n - 1 ? A(i) : (A(i - 1) + A(i) + A(i + 1)) / 3)");
  b[0] = a[0];
  for (int i = 1; i < n - 1; i++) {
    b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3.0f;
  }
  b[n - 1] = a[n - 1];
}
