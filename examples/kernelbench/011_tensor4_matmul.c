#include <optigpu.h>

// c[t][i][j] = a[t][i][j] b: a 4-D tensor times a matrix; batch = 8, h = 256, w = 512, p = 256, n = 768
void tensor4_matmul(int batch, int h, int w, int n, int p, float a[batch][h][w][p], float b[p][n], float c[batch][h][w][n]) {
  __requires("A: int * int * int * int -> float, B: int * int -> float");
  __reads("a ~> Matrix4(batch, h, w, p, A), b ~> Matrix2(p, n, B)");
  __writes("c ~> Matrix4(batch, h, w, n, fun t i l j -> Sum(k in 0..p, A(t, i, l, k) * B(k, j)))");
  for (int t = 0; t < batch; t++) {
    for (int i = 0; i < h; i++) {
      for (int l = 0; l < w; l++) {
        for (int j = 0; j < n; j++) {
          float sum = 0.0f;
          for (int k = 0; k < p; k++) {
            sum += a[t][i][l][k] * b[k][j];
          }
          c[t][i][l][j] = sum;
        }
      }
    }
  }
}
