#include <optigpu.h>

// the mean of d * d / 2 for |d| < 1, else |d| - 1 / 2, where d = x - y; 32768 x 32768 elements
void huber_loss(int n, float x[n], float y[n], float loss[1]) {
  __requires("X: int -> float, Y: int -> float, n > 0");
  __reads("x ~> Matrix1(n, X), y ~> Matrix1(n, Y)");
  __writes("&loss[0] ~~> Sum(i in 0..n, fabsf(X(i) - Y(i)) <. 1.0f ? "
           "0.5f * (X(i) - Y(i)) * (X(i) - Y(i)) : fabsf(X(i) - Y(i)) - 0.5f) / n");
  float sum = 0.0f;
  for (int i = 0; i < n; i++) {
    const float d = fabsf(x[i] - y[i]);
    sum += d < 1.0f ? 0.5f * d * d : d - 0.5f;
  }
  loss[0] = sum / n;
}
