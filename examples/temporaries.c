#include <optigpu.h>

// b[i] = (a[i] + 1)^2, through a temporary array
void temporaries(int n, float a[n], float b[n]) {
  __requires("A: int -> float");
  __requires("size: n >= 0");
  __reads("a ~> Matrix1(n, A)");
  __writes("b ~> Matrix1(n, fun i -> (A(i) + 1) * (A(i) + 1))");
  float* const t = MALLOC1(float, n);
  for (int i = 0; i < n; i++) {
    t[i] = a[i] + 1.0f;
  }
  for (int i = 0; i < n; i++) {
    b[i] = t[i] * t[i];
  }
  free(t);
}
