#include <optigpu.h>

// a five-point stencil on the interior; the border of b is left as it is
void stencil2d(int h, int w, float a[h][w], float b[h][w]) {
  __requires("A: int * int -> float");
  __reads("a ~> Matrix2(h, w, A)");
  __writes("for i in 1..h - 1 -> for j in 1..w - 1 -> &b[i][j] ~~> "
           "0.5f * A(i, j) + 0.125f * (A(i - 1, j) + A(i + 1, j) + A(i, j - 1) + A(i, j + 1))");
  for (int i = 1; i < h - 1; i++) {
    for (int j = 1; j < w - 1; j++) {
      b[i][j] = 0.5f * a[i][j] + 0.125f * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
    }
  }
}
