#include <optigpu.h>

// y = max(x, 0); 4096 x 393216 elements
void relu(int n, float x[n], float y[n]) {
  __requires("X: int -> float");
  __reads("x ~> Matrix1(n, X)");
  __writes("y ~> Matrix1(n, fun i -> fmaxf(X(i), 0.0f))");
  for (int i = 0; i < n; i++) {
    y[i] = fmaxf(x[i], 0.0f);
  }
}
