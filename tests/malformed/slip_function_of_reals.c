#include <optigpu.h>
void f(int n, float x[n], float y[n]) {
  __requires("X: int -> float");
  __reads("x ~> Matrix1(n, X)");
  __writes("y ~> Matrix1(n, fun i -> sigmoid(X(i)))");
  for (int i = 0; i < n; i++) y[i] = x[i];
}
