#include <optigpu.h>

// y = x, or alpha (exp(x) - 1) for x <= 0; 4096 x 393216 elements, alpha = 1
void elu(int n, float alpha, float x[n], float y[n]) {
  __requires("X: int -> float");
  __reads("x ~> Matrix1(n, X)");
  __writes("y ~> Matrix1(n, fun i -> X(i) >. 0.0f ? X(i) : alpha * (expf(X(i)) - 1.0f))");
  for (int i = 0; i < n; i++) {
    y[i] = x[i] > 0.0f ? x[i] : alpha * (expf(x[i]) - 1.0f);
  }
}
