#include <optigpu.h>

// the sum of y (log y - log x) over the batch's size, for positive x and y; 16384 x 16384
void kl_div_loss(int batch, int w, float x[batch][w], float y[batch][w], float loss[1]) {
  __requires("X: int * int -> float, Y: int * int -> float, batch > 0");
  __requires("forall i in 0..batch -> forall j in 0..w -> X(i, j) >. 0.0f && Y(i, j) >. 0.0f");
  __reads("x ~> Matrix2(batch, w, X), y ~> Matrix2(batch, w, Y)");
  __writes("&loss[0] ~~> Sum(i in 0..batch, Sum(j in 0..w, Y(i, j) * (logf(Y(i, j)) - logf(X(i, j))))) / batch");
  float sum = 0.0f;
  for (int i = 0; i < batch; i++) {
    for (int j = 0; j < w; j++) {
      sum += y[i][j] * (logf(y[i][j]) - logf(x[i][j]));
    }
  }
  loss[0] = sum / batch;
}
