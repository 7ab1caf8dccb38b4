#include <optigpu.h>

// the mean of max(0, 1 - x y), where y, one for each column, is 1 or -1; 32768 x 32768
void hinge_loss(int h, int w, float x[h][w], float y[w], float loss[1]) {
  __requires("X: int * int -> float, Y: int -> float, h > 0 && w > 0");
  __reads("x ~> Matrix2(h, w, X), y ~> Matrix1(w, Y)");
  __writes("&loss[0] ~~> Sum(i in 0..h, Sum(j in 0..w, fmaxf(0.0f, 1.0f - X(i, j) * Y(j)))) / (h * w)");
  float sum = 0.0f;
  for (int i = 0; i < h; i++) {
    for (int j = 0; j < w; j++) {
      sum += fmaxf(1.0f - x[i][j] * y[j], 0.0f);
    }
  }
  loss[0] = sum / (h * w);
}
