#include <optigpu.h>

void row_sums(int h, int w, float a[h][w], float sums[h]) {
  __requires("A: int * int -> float");
  __reads("a ~> Matrix2(h, w, A)");
  __writes("sums ~> Matrix1(h, fun i -> Sum(j in 0..w, A(i, j)))");
  for (int i = 0; i < h; i++) {
    sums[i] = 0.0f;
    for (int j = 0; j < w; j++) {
      sums[i] += a[i][j];
    }
  }
}
