#include <optigpu.h>

// y[i] = exp(x[i]) / sum of exp over the row; the code subtracts the row's maximum. 4096 x 393216
void softmax(int h, int w, float x[h][w], float y[h][w]) {
  __requires("X: int * int -> float, w > 0");
  __reads("x ~> Matrix2(h, w, X)");
  __writes("y ~> Matrix2(h, w, fun i j -> expf(X(i, j)) / Sum(k in 0..w, expf(X(i, k))))");
  for (int i = 0; i < h; i++) {
    float best = x[i][0];
    for (int j = 1; j < w; j++) {
      best = fmaxf(best, x[i][j]);
    }
    float total = 0.0f;
    for (int j = 0; j < w; j++) {
      total += expf(x[i][j] - best);
    }
    for (int j = 0; j < w; j++) {
      y[i][j] = expf(x[i][j] - best) / total;
    }
  }
}
