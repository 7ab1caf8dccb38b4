#include <optigpu.h>

__DEF(row_max, "fun (A: int * int -> float) (i: int) (w: int) -> Max(j in 0..w, A(i, j))");

// each row of b is the softmax of that row of a
void softmax_rows(int h, int w, float a[h][w], float b[h][w]) {
  __requires("A: int * int -> float, width: w > 0");
  __reads("a ~> Matrix2(h, w, A)");
  __writes("b ~> Matrix2(h, w, fun i j -> expf(A(i, j) - row_max(A, i, w)) / "
           "Sum(k in 0..w, expf(A(i, k) - row_max(A, i, w))))");
  for (int i = 0; i < h; i++) {
    float best = a[i][0];
    for (int j = 1; j < w; j++) {
      best = fmaxf(best, a[i][j]);
    }
    float total = 0.0f;
    for (int j = 0; j < w; j++) {
      total += expf(a[i][j] - best);
    }
    for (int j = 0; j < w; j++) {
      b[i][j] = expf(a[i][j] - best) / total;
    }
  }
}
