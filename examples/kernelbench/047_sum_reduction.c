#include <optigpu.h>

// sums over the middle dimension; 128 x 4096 x 4095
void sum_reduction(int batch, int h, int w, float x[batch][h][w], float y[batch][w]) {
  __requires("X: int * int * int -> float");
  __reads("x ~> Matrix3(batch, h, w, X)");
  __writes("y ~> Matrix2(batch, w, fun n j -> Sum(i in 0..h, X(n, i, j)))");
  for (int n = 0; n < batch; n++) {
    for (int j = 0; j < w; j++) {
      float sum = 0.0f;
      for (int i = 0; i < h; i++) {
        sum += x[n][i][j];
      }
      y[n][j] = sum;
    }
  }
}
