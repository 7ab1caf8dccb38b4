// Sigmoid and tanh by other formulas than their definitions.
// expect: VERIFIED
// mutate: "1.f - 2.f /" -> "1.f - 1.f /" => REFUTED[OG305] z ~> Matrix1(
#include <optigpu.h>
void sig(int n, float x[n], float y[n], float z[n]) {
  __requires("X: int -> float");
  __reads("x ~> Matrix1(n, X)");
  __writes("y ~> Matrix1(n, fun i -> 1 / (1 + exp(0 - X(i))))");
  __writes("z ~> Matrix1(n, fun i -> (exp(X(i)) - exp(0 - X(i))) / (exp(X(i)) + exp(0 - X(i))))");
  for (int i = 0; i < n; i++) {
    y[i] = expf(x[i]) / (expf(x[i]) + 1.f);
    z[i] = 1.f - 2.f / (expf(2.f * x[i]) + 1.f);
  }
}
