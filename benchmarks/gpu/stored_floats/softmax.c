#include <optigpu.h>

void softmax(int h, int w, half a[h][w], half b[h][w]) {
  __requires("A: int * int -> float, w > 0");
  __reads("a ~> Matrix2(h, w, A)");
  __writes("b ~> Matrix2(h, w, fun i j -> expf(A(i, j)) / Sum(k in 0..w, expf(A(i, k))))");
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
