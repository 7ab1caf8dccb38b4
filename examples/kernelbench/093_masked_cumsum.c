#include <optigpu.h>

// sums of the elements up to each one whose mask is set; 32768 x 32768
void masked_cumsum(int h, int w, float x[h][w], bool mask[h][w], float y[h][w]) {
  __requires("X: int * int -> float, M: int * int -> bool");
  __reads("x ~> Matrix2(h, w, X), mask ~> Matrix2(h, w, M)");
  __writes("y ~> Matrix2(h, w, fun i j -> Sum(k in 0..j + 1, M(i, k) ? X(i, k) : 0.0f))");
  for (int i = 0; i < h; i++) {
    float sum = 0.0f;
    for (int j = 0; j < w; j++) {
      if (mask[i][j]) {
        sum += x[i][j];
      }
      y[i][j] = sum;
    }
  }
}
