#include <optigpu.h>

// y = scale (max(0, x) + min(0, alpha (exp(x) - 1))); 4096 x 393216 elements
#define SCALE 1.05070098f
#define ALPHA 1.67326324f

void selu(int n, float x[n], float y[n]) {
  __requires("X: int -> float");
  __reads("x ~> Matrix1(n, X)");
  __writes("y ~> Matrix1(n, fun i -> SCALE * (fmaxf(0.0f, X(i)) + fminf(0.0f, ALPHA * (expf(X(i)) - 1.0f))))");
  for (int i = 0; i < n; i++) {
    y[i] = SCALE * (x[i] > 0.0f ? x[i] : ALPHA * (expf(x[i]) - 1.0f));
  }
}
