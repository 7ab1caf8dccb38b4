#include <optigpu.h>

float dot(int n, float x[n], float y[n]) {
  __requires("X: int -> float, Y: int -> float");
  __reads("x ~> Matrix1(n, X), y ~> Matrix1(n, Y)");
  __ensures("_Res == Sum(i in 0..n, X(i) * Y(i))");
  float total = 0.0f;
  for (int i = 0; i < n; i++) {
    total += x[i] * y[i];
  }
  return total;
}
