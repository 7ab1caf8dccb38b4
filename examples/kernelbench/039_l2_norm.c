#include <optigpu.h>

// each row divided by the root of the sum of its squares, which is not zero; 32768 x 65535
void l2_norm(int h, int w, float x[h][w], float y[h][w]) {
  __requires("X: int * int -> float");
  __requires("forall i in 0..h -> Sum(k in 0..w, X(i, k) * X(i, k)) >. 0.0f");
  __reads("x ~> Matrix2(h, w, X)");
  __writes("y ~> Matrix2(h, w, fun i j -> X(i, j) / sqrtf(Sum(k in 0..w, X(i, k) * X(i, k))))");
  for (int i = 0; i < h; i++) {
    float squares = 0.0f;
    for (int j = 0; j < w; j++) {
      squares += x[i][j] * x[i][j];
    }
    const float norm = sqrtf(squares);
    for (int j = 0; j < w; j++) {
      y[i][j] = x[i][j] / norm;
    }
  }
}
