#include <optigpu.h>

// y = x Φ(x), Φ the distribution function of the normal distribution; 4096 x 393216 elements
void gelu(int n, float x[n], float y[n]) {
  __requires("X: int -> float");
  __reads("x ~> Matrix1(n, X)");
  __writes("y ~> Matrix1(n, fun i -> X(i) * 0.5f * (1.0f + erff(X(i) * 0.70710678f)))");
  for (int i = 0; i < n; i++) {
    y[i] = 0.5f * x[i] * (1.0f + erff(x[i] * 0.70710678f));
  }
}
