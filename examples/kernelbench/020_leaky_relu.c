#include <optigpu.h>

// y = x, or slope x for negative x; 4096 x 393216 elements, slope = 0.01
void leaky_relu(int n, float slope, float x[n], float y[n]) {
  __requires("X: int -> float");
  __reads("x ~> Matrix1(n, X)");
  __writes("y ~> Matrix1(n, fun i -> X(i) >=. 0.0f ? X(i) : slope * X(i))");
  for (int i = 0; i < n; i++) {
    y[i] = x[i] >= 0.0f ? x[i] : slope * x[i];
  }
}
