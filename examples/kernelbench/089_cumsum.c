#include <optigpu.h>

// sums of the elements up to each one; 32768 x 32768
void cumsum(int h, int w, float x[h][w], float y[h][w]) {
  __requires("X: int * int -> float");
  __reads("x ~> Matrix2(h, w, X)");
  __writes("y ~> Matrix2(h, w, fun i j -> Sum(k in 0..j + 1, X(i, k)))");
  for (int i = 0; i < h; i++) {
    float sum = 0.0f;
    for (int j = 0; j < w; j++) {
      sum += x[i][j];
      y[i][j] = sum;
    }
  }
}
