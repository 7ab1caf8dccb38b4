#include <optigpu.h>

void transpose(int W, int H, float a[H][W], float b[W][H]) {
  __requires("A: int * int -> float");
  __reads("a ~> Matrix2(H, W, A)");
  __writes("b ~> Matrix2(W, H, fun i j -> A(j, i))");
  for (int x = 0; x < W; x++) {
    for (int y = 0; y < H; y++) {
      b[x][y] = a[y][x];
    }
  }
}
