#include <optigpu.h>

// y = x between -1 and 1; 4096 x 393216 elements
void hard_tanh(int n, float x[n], float y[n]) {
  __requires("X: int -> float");
  __reads("x ~> Matrix1(n, X)");
  __writes("y ~> Matrix1(n, fun i -> X(i) >. 1.0f ? 1.0f : X(i) <. -1.0f ? -1.0f : X(i))");
  for (int i = 0; i < n; i++) {
    y[i] = fmaxf(-1.0f, fminf(1.0f, x[i]));
  }
}
