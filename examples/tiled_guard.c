#include <optigpu.h>
#define TILE 16

// b = 2 * a in tiles of 16, for any size: the last tile is cut by a guard
void tiled_guard(int n, float a[n], float b[n]) {
  __requires("A: int -> float");
  __reads("a ~> Matrix1(n, A)");
  __writes("b ~> Matrix1(n, fun i -> 2 * A(i))");
  for (int t = 0; t < (n + TILE - 1) / TILE; t++) {
    for (int i = 0; i < TILE; i++) {
      if (t * TILE + i < n) {
        b[t * TILE + i] = 2.0f * a[t * TILE + i];
      }
    }
  }
}
