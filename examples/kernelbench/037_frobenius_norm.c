#include <optigpu.h>

// x divided by the root of the sum of all squares, which is not zero; 112 x 64 x 512 x 512 elements
void frobenius_norm(int n, float x[n], float y[n]) {
  __requires("X: int -> float");
  __requires("Sum(k in 0..n, X(k) * X(k)) >. 0.0f");
  __reads("x ~> Matrix1(n, X)");
  __writes("y ~> Matrix1(n, fun i -> X(i) / sqrtf(Sum(k in 0..n, X(k) * X(k))))");
  float squares = 0.0f;
  for (int i = 0; i < n; i++) {
    squares += x[i] * x[i];
  }
  const float norm = sqrtf(squares);
  for (int i = 0; i < n; i++) {
    y[i] = x[i] / norm;
  }
}
