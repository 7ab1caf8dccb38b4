#include <optigpu.h>

#define K_H 5
#define K_W 7

// 2-D convolution; x 8 x 64 x 512 x 256, 128 outputs
void conv_2d_asymmetric(int batch, int inputs, int outputs, int h, int w,
                        float x[batch][inputs][h][w],
                        float f[outputs][inputs][K_H][K_W],
                        float y[batch][outputs][h - K_H + 1][w - K_W + 1]) {
  __requires("X: int * int * int * int -> float, F: int * int * int * int -> float");
  __requires("h >= K_H");
  __requires("w >= K_W");
  __reads("x ~> Matrix4(batch, inputs, h, w, X), f ~> Matrix4(outputs, inputs, K_H, K_W, F)");
  __writes("y ~> Matrix4(batch, outputs, h - K_H + 1, w - K_W + 1, fun n o i j -> "
           "Sum(c in 0..inputs, p in 0..K_H, q in 0..K_W, X(n, c, i + p, j + q) * F(o, c, p, q)))");
  for (int n = 0; n < batch; n++) {
    for (int o = 0; o < outputs; o++) {
      for (int i = 0; i < h - K_H + 1; i++) {
        for (int j = 0; j < w - K_W + 1; j++) {
          float sum = 0.0f;
          for (int c = 0; c < inputs; c++) {
            for (int p = 0; p < K_H; p++) {
              for (int q = 0; q < K_W; q++) {
                sum += x[n][c][i + p][j + q] * f[o][c][p][q];
              }
            }
          }
          y[n][o][i][j] = sum;
        }
      }
    }
  }
}
