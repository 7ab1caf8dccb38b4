#include <optigpu.h>

// each row divided by the mean of its absolute values, which is not zero; 32768 x 65535
void l1_norm(int h, int w, float x[h][w], float y[h][w]) {
  __requires("X: int * int -> float, w > 0");
  __requires("forall i in 0..h -> Sum(k in 0..w, fabsf(X(i, k))) >. 0.0f");
  __reads("x ~> Matrix2(h, w, X)");
  __writes("y ~> Matrix2(h, w, fun i j -> X(i, j) / (Sum(k in 0..w, fabsf(X(i, k))) / w))");
  for (int i = 0; i < h; i++) {
    float sum = 0.0f;
    for (int j = 0; j < w; j++) {
      sum += fabsf(x[i][j]);
    }
    const float mean = sum / w;
    for (int j = 0; j < w; j++) {
      y[i][j] = x[i][j] / mean;
    }
  }
}
