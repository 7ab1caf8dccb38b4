#include <optigpu.h>

// the mean over the batch of -log(softmax(x)[target]); 32768 x 4096
void cross_entropy_loss(int batch, int classes, float x[batch][classes], int64_t target[batch], float loss[1]) {
  __requires("X: int * int -> float, T: int -> int, batch > 0 && classes > 0");
  __requires("forall i in 0..batch -> 0 <= T(i) && T(i) < classes");
  __reads("x ~> Matrix2(batch, classes, X), target ~> Matrix1(batch, T)");
  __writes("&loss[0] ~~> Sum(i in 0..batch, -logf(expf(X(i, T(i))) / Sum(c in 0..classes, expf(X(i, c))))) / batch");
  float sum = 0.0f;
  for (int i = 0; i < batch; i++) {
    float best = x[i][0];
    for (int c = 1; c < classes; c++) {
      best = fmaxf(best, x[i][c]);
    }
    float total = 0.0f;
    for (int c = 0; c < classes; c++) {
      total += expf(x[i][c] - best);
    }
    sum += logf(total) + best - x[i][target[i]];
  }
  loss[0] = sum / batch;
}
