#include <optigpu.h>

// y = x convolved with k: f filters of 3 x 3 on c channels, with zeros around the image
void conv(int c, int f, int h, int w, float x[c][h][w], float k[f][c][3][3], float y[f][h][w]) {
  __requires("X: int * int * int -> float, K: int * int * int * int -> float");
  __reads("x ~> Matrix3(c, h, w, X), k ~> Matrix4(f, c, 3, 3, K)");
  __writes("y ~> Matrix3(f, h, w, fun o i j -> Sum(q in 0..c, Sum(u in 0..3, Sum(v in 0..3, "
           "0 <= i + u - 1 && i + u - 1 < h && 0 <= j + v - 1 && j + v - 1 < w ? X(q, i + u - 1, j + v - 1) * K(o, q, u, v) : 0))))");
  for (int o = 0; o < f; o++) {
    for (int i = 0; i < h; i++) {
      for (int j = 0; j < w; j++) {
        float sum = 0.0f;
        for (int q = 0; q < c; q++) {
          for (int u = 0; u < 3; u++) {
            for (int v = 0; v < 3; v++) {
              if (0 <= i + u - 1 && i + u - 1 < h && 0 <= j + v - 1 && j + v - 1 < w) {
                sum += x[q][i + u - 1][j + v - 1] * k[o][q][u][v];
              }
            }
          }
        }
        y[o][i][j] = sum;
      }
    }
  }
}
