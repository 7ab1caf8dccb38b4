#include <optigpu.h>

// A 3 x 3 box blur in three passes: sums along rows, sums along columns, scaling
void blur(int H, int W, float scale, float in[H + 2][W + 2], float out[H][W]) {
  __requires("A: int * int -> float, H >= 1, W >= 1");
  __reads("in ~> Matrix2(H + 2, W + 2, A)");
  __writes("out ~> Matrix2(H, W, fun y x -> scale * Sum(v in y..y + 3, Sum(u in x..x + 3, A(v, u))))");
  float* const rows = MALLOC2(float, H + 2, W);
  for (int y = 0; y < H + 2; y++) {
    for (int x = 0; x < W; x++) {
      float s = 0.0f;
      for (int u = x; u < x + 3; u++) {
        s += in[y][u];
      }
      rows[y][x] = s;
    }
  }
  float* const sums = MALLOC2(float, H, W);
  for (int y = 0; y < H; y++) {
    for (int x = 0; x < W; x++) {
      float t = 0.0f;
      for (int v = y; v < y + 3; v++) {
        t += rows[v][x];
      }
      sums[y][x] = t;
    }
  }
  for (int y = 0; y < H; y++) {
    for (int x = 0; x < W; x++) {
      out[y][x] = scale * sums[y][x];
    }
  }
  free(sums);
  free(rows);
}
