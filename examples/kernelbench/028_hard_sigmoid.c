#include <optigpu.h>

// y = 0 for x <= -3, 1 for x >= 3, else x / 6 + 1 / 2; 4096 x 393216 elements
void hard_sigmoid(int n, float x[n], float y[n]) {
  __requires("X: int -> float");
  __reads("x ~> Matrix1(n, X)");
  __writes("y ~> Matrix1(n, fun i -> X(i) <=. -3.0f ? 0.0f : X(i) >=. 3.0f ? 1.0f : X(i) / 6.0f + 0.5f)");
  for (int i = 0; i < n; i++) {
    y[i] = fminf(fmaxf(x[i] / 6.0f + 0.5f, 0.0f), 1.0f);
  }
}
