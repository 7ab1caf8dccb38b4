// A condition on the index of a sum that holds for at most one index, but does not tell which: 3 * p + i + 1 is a multiple of 5.
// expect: VERIFIED
// mutate: "(i + 1 + 3 * p) % 5 == 0) {" -> "(i + 3 * p) % 5 == 0) {" => REFUTED[OG305] y ~> Matrix2(5, 128, fun i t -> Sum(p in 0..3, (i + 1 + 3 * p) % 5 == 0 ? X(p) : 0.0f))

#include <optigpu.h>

void taps(int m, float x[m], float y[5][128]) {
  __requires("X: int -> float");
  __requires("m > 2");
  __reads("x ~> Matrix1(m, X)");
  __writes("y ~> Matrix2(5, 128, fun i t -> Sum(p in 0..3, (i + 1 + 3 * p) % 5 == 0 ? X(p) : 0.0f))");
  for (int i = 0; i < 5; i++) {
    float sum[128];
    for (int a = 0; a < 8; a++) {
      for (int b = 0; b < 16; b++) {
        sum[a * 16 + b] = 0.0f;
      }
    }
    for (int p = 0; p < 3; p++) {
      if ((i + 1 + 3 * p) % 5 == 0) {
        for (int a = 0; a < 8; a++) {
          for (int b = 0; b < 16; b++) {
            sum[a * 16 + b] += x[p];
          }
        }
      }
    }
    for (int t = 0; t < 128; t++) {
      y[i][t] = sum[t];
    }
  }
}
