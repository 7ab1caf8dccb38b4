#include <optigpu.h>

// in place: negative values become zero
void relu(int n, float x[n]) {
  __requires("X: int -> float");
  __consumes("x ~> Matrix1(n, X)");
  __produces("x ~> Matrix1(n, fun i -> X(i) < 0 ? 0.0f : X(i))");
  for (int i = 0; i < n; i++) {
    if (x[i] < 0.0f) {
      x[i] = 0.0f;
    }
  }
}
