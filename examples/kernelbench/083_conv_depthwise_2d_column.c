#include <optigpu.h>

#define K_H 3
#define K_W 1

// 2-D convolution of each channel; x 64 x 8 x 512 x 512
void conv_depthwise_2d_column(int batch, int channels, int h, int w,
                              float x[batch][channels][h][w],
                              float f[channels][K_H][K_W],
                              float y[batch][channels][h - K_H + 1][w - K_W + 1]) {
  __requires("X: int * int * int * int -> float, F: int * int * int -> float");
  __requires("h >= K_H");
  __requires("w >= K_W");
  __reads("x ~> Matrix4(batch, channels, h, w, X), f ~> Matrix3(channels, K_H, K_W, F)");
  __writes("y ~> Matrix4(batch, channels, h - K_H + 1, w - K_W + 1, fun n c i j -> Sum(p in 0..K_H, q in 0..K_W, "
           "X(n, c, i + p, j + q) * F(c, p, q)))");
  for (int n = 0; n < batch; n++) {
    for (int c = 0; c < channels; c++) {
      for (int i = 0; i < h - K_H + 1; i++) {
        for (int j = 0; j < w - K_W + 1; j++) {
          float sum = 0.0f;
          for (int p = 0; p < K_H; p++) {
            for (int q = 0; q < K_W; q++) {
              sum += x[n][c][i + p][j + q] * f[c][p][q];
            }
          }
          y[n][c][i][j] = sum;
        }
      }
    }
  }
}
