#include <optigpu.h>

// y = 1 / (1 + exp(-x)); 4096 x 393216 elements
void sigmoid(int n, float x[n], float y[n]) {
  __requires("X: int -> float");
  __reads("x ~> Matrix1(n, X)");
  __writes("y ~> Matrix1(n, fun i -> 1.0f / (1.0f + expf(-X(i))))");
  for (int i = 0; i < n; i++) {
    y[i] = 1.0f / (1.0f + expf(-x[i]));
  }
}
