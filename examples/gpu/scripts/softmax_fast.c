#include <optigpu.h>

__DEF(row_max, "fun (A: int * int -> float) (i: int) -> Max(j in 0..16384, A(i, j))");

// each row of b is the softmax of that row of a
void softmax(int h, float a[h][16384], float b[h][16384]) {
  __requires("A: int * int -> float");
  __reads("a ~> Matrix2(h, 16384, A)");
  __writes("b ~> Matrix2(h, 16384, fun i j -> expf(A(i, j) - row_max(A, i)) / Sum(k in 0..16384, expf(A(i, k) - row_max(A, i))))");
  for (int i = 0; i < h; i++) {
    float x[16384];
    for (int j = 0; j < 16384; j++) {
      x[j] = a[i][j];
    }
    float best = x[0];
    for (int j = 0; j < 16384; j++) {
      best = fmaxf(best, x[j]);
    }
    float total = 0.0f;
    for (int j = 0; j < 16384; j++) {
      x[j] = expf(x[j] - best);
      total += x[j];
    }
    for (int j = 0; j < 16384; j++) {
      b[i][j] = x[j] / total;
    }
  }
}
