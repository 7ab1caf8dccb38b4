#include <optigpu.h>

// y = log(1 + exp(x)), and x above the threshold of 20; 4096 x 393216 elements
void softplus(int n, float x[n], float y[n]) {
  __requires("X: int -> float");
  __reads("x ~> Matrix1(n, X)");
  __writes("y ~> Matrix1(n, fun i -> X(i) >. 20.0f ? X(i) : logf(1.0f + expf(X(i))))");
  for (int i = 0; i < n; i++) {
    y[i] = x[i] > 20.0f ? x[i] : log1pf(expf(x[i]));
  }
}
