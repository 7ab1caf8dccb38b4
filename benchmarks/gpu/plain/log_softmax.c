#include <optigpu.h>

// a maximum that starts at -INFINITY; rows may be masked with it
void log_softmax(int h, int w, float x[h][w], float y[h][w]) {
  __requires("X: int * int -> float, w > 0");
  __reads("x ~> Matrix2(h, w, X)");
  __writes("y ~> Matrix2(h, w, fun i j -> X(i, j) - log(Sum(k in 0..w, exp(X(i, k)))))");
  for (int i = 0; i < h; i++) {
    float best = -INFINITY;
    for (int j = 0; j < w; j++) best = fmaxf(best, x[i][j]);
    float sum = 0.0f;
    for (int j = 0; j < w; j++) sum += expf(x[i][j] - best);
    for (int j = 0; j < w; j++) y[i][j] = x[i][j] - (best + logf(sum));
  }
}
