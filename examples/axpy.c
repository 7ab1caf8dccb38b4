#include <optigpu.h>

// y = s * x + y
void axpy(int n, float s, float x[n], float y[n]) {
  __requires("X: int -> float, Y: int -> float");
  __reads("x ~> Matrix1(n, X)");
  __consumes("y ~> Matrix1(n, Y)");
  __produces("y ~> Matrix1(n, fun i -> s * X(i) + Y(i))");
  for (int i = 0; i < n; i++) {
    y[i] += s * x[i];
  }
}
