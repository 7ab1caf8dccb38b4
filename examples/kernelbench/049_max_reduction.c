#include <optigpu.h>

// maxima over the middle dimension; 128 x 4096 x 4095
void max_reduction(int batch, int h, int w, float x[batch][h][w], float y[batch][w]) {
  __requires("X: int * int * int -> float");
  __requires("h > 0");
  __reads("x ~> Matrix3(batch, h, w, X)");
  __writes("y ~> Matrix2(batch, w, fun n j -> Max(i in 0..h, X(n, i, j)))");
  for (int n = 0; n < batch; n++) {
    for (int j = 0; j < w; j++) {
      float best = x[n][0][j];
      for (int i = 1; i < h; i++) {
        best = fmaxf(best, x[n][i][j]);
      }
      y[n][j] = best;
    }
  }
}
