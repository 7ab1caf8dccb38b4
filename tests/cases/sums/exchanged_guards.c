// A sum in another order, whose conditions are tested as far outside as possible: they are implied where they are not tested.
// expect: VERIFIED
// mutate: "(i + 1 - p) % 2 == 0) {" -> "(i - p) % 2 == 0) {" => REFUTED[OG305] y ~> Matrix2(n, m, fun i j -> Sum(c in 0..k, p in 0..3, q in 0..3, 0 <= i + 1 - p && (i + 1 - p) % 2 == 0 && (i + 1 - p) / 2 < h && 0 <= j + 1 - q && (j + 1 - q) % 2 == 0 && (j + 1 - q) / 2 < w ? X(c, (i + 1 - p) / 2, (j + 1 - q) / 2) * F(c, p, q) : 0.0f))

#include <optigpu.h>

void transposed(int n, int m, int k, int h, int w, float x[k][h][w], float f[k][3][3], float y[n][m]) {
  __requires("X: int * int * int -> float, F: int * int * int -> float");
  __requires("n == 2 * h - 1 && m == 2 * w - 1 && h > 0 && w > 0");
  __reads("x ~> Matrix3(k, h, w, X), f ~> Matrix3(k, 3, 3, F)");
  __writes("y ~> Matrix2(n, m, fun i j -> Sum(c in 0..k, p in 0..3, q in 0..3, 0 <= i + 1 - p && (i + 1 - p) % 2 == 0 && (i + 1 - p) / 2 < h && 0 <= j + 1 - q && (j + 1 - q) % 2 == 0 && (j + 1 - q) / 2 < w ? X(c, (i + 1 - p) / 2, (j + 1 - q) / 2) * F(c, p, q) : 0.0f))");
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) {
      float sum = 0.0f;
      for (int p = 0; p < 3; p++) {
        if ((i + 1 - p) % 2 == 0) {
          for (int q = 0; q < 3; q++) {
            if ((j + 1 - q) % 2 == 0) {
              for (int c = 0; c < k; c++) {
                sum += x[c][(i + 1 - p) / 2][(j + 1 - q) / 2] * f[c][p][q];
              }
            }
          }
        }
      }
      y[i][j] = sum;
    }
  }
}
