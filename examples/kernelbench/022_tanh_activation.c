#include <optigpu.h>

// y = tanh(x); 4096 x 393216 elements
void tanh_activation(int n, float x[n], float y[n]) {
  __requires("X: int -> float");
  __reads("x ~> Matrix1(n, X)");
  __writes("y ~> Matrix1(n, fun i -> tanhf(X(i)))");
  for (int i = 0; i < n; i++) {
    y[i] = tanhf(x[i]);
  }
}
