#include <optigpu.h>

// y = x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2; 8192 x 8192 elements
void new_gelu(int n, float x[n], float y[n]) {
  __requires("X: int -> float");
  __reads("x ~> Matrix1(n, X)");
  __writes("y ~> Matrix1(n, fun i -> 0.5f * X(i) * (1.0f + tanhf(0.797884561f * (X(i) + 0.044715f * powf(X(i), 3.0f)))))");
  for (int i = 0; i < n; i++) {
    y[i] = 0.5f * x[i] * (1.0f + tanhf(0.797884561f * (x[i] + 0.044715f * x[i] * x[i] * x[i])));
  }
}
