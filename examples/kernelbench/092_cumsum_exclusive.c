#include <optigpu.h>

// sums of the elements before each one; 32768 x 32768
void cumsum_exclusive(int h, int w, float x[h][w], float y[h][w]) {
  __requires("X: int * int -> float");
  __reads("x ~> Matrix2(h, w, X)");
  __writes("y ~> Matrix2(h, w, fun i j -> Sum(k in 0..j, X(i, k)))");
  for (int i = 0; i < h; i++) {
    float sum = 0.0f;
    for (int j = 0; j < w; j++) {
      y[i][j] = sum;
      sum += x[i][j];
    }
  }
}
