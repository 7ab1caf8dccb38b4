#include <optigpu.h>

// the mean of the squared differences; 32768 x 32768 elements
void mse_loss(int n, float x[n], float y[n], float loss[1]) {
  __requires("X: int -> float, Y: int -> float, n > 0");
  __reads("x ~> Matrix1(n, X), y ~> Matrix1(n, Y)");
  __writes("&loss[0] ~~> Sum(i in 0..n, (X(i) - Y(i)) * (X(i) - Y(i))) / n");
  float sum = 0.0f;
  for (int i = 0; i < n; i++) {
    sum += (x[i] - y[i]) * (x[i] - y[i]);
  }
  loss[0] = sum / n;
}
