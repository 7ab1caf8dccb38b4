#include <optigpu.h>
#define TILE 16

// a sum in tiles of 16; the size is a multiple of 16
float tiled_exact(int n, float a[n]) {
  __requires("A: int -> float, divides: n % TILE == 0");
  __reads("a ~> Matrix1(n, A)");
  __ensures("_Res == Sum(i in 0..n, A(i))");
  float total = 0.0f;
  for (int b = 0; b < exact_div(n, TILE); b++) {
    for (int i = 0; i < TILE; i++) {
      total += a[b * TILE + i];
    }
  }
  return total;
}
