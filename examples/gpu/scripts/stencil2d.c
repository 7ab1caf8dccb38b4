#include <optigpu.h>

// a five-point stencil; the border is copied
void stencil2d(int h, int w, float a[h][w], float b[h][w]) {
  __requires("A: int * int -> float");
  __reads("a ~> Matrix2(h, w, A)");
  __writes("b ~> Matrix2(h, w, fun i j -> 0 < i && i < h - 1 && 0 < j && j < w - 1 "
           "? 0.5f * A(i, j) + 0.125f * (A(i - 1, j) + A(i + 1, j) + A(i, j - 1) + A(i, j + 1)) : A(i, j))");
  for (int y = 0; y < h; y++) {
    for (int x = 0; x < w; x++) {
      if (0 < y && y < h - 1 && 0 < x && x < w - 1) {
        b[y][x] = 0.5f * a[y][x] + 0.125f * (a[y - 1][x] + a[y + 1][x] + a[y][x - 1] + a[y][x + 1]);
      } else {
        b[y][x] = a[y][x];
      }
    }
  }
}
