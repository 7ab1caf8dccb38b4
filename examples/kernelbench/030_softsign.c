#include <optigpu.h>

// y = x / (1 + |x|); 4096 x 393216 elements
void softsign(int n, float x[n], float y[n]) {
  __requires("X: int -> float");
  __reads("x ~> Matrix1(n, X)");
  __writes("y ~> Matrix1(n, fun i -> X(i) / (1.0f + fabsf(X(i))))");
  for (int i = 0; i < n; i++) {
    y[i] = x[i] / (1.0f + fabsf(x[i]));
  }
}
