#include <optigpu.h>

#define K 3

// 2-D convolution of each channel; x 64 x 128 x 256 x 512
void conv_depthwise_2d_wide(int batch, int channels, int h, int w,
                            float x[batch][channels][h][w],
                            float f[channels][K][K],
                            float y[batch][channels][h - K + 1][w - K + 1]) {
  __requires("X: int * int * int * int -> float, F: int * int * int -> float");
  __requires("h >= K");
  __requires("w >= K");
  __reads("x ~> Matrix4(batch, channels, h, w, X), f ~> Matrix3(channels, K, K, F)");
  __writes("y ~> Matrix4(batch, channels, h - K + 1, w - K + 1, fun n c i j -> Sum(p in 0..K, q in 0..K, "
           "X(n, c, i + p, j + q) * F(c, p, q)))");
  for (int n = 0; n < batch; n++) {
    for (int c = 0; c < channels; c++) {
      for (int i = 0; i < h - K + 1; i++) {
        for (int j = 0; j < w - K + 1; j++) {
          float sum = 0.0f;
          for (int p = 0; p < K; p++) {
            for (int q = 0; q < K; q++) {
              sum += x[n][c][i + p][j + q] * f[c][p][q];
            }
          }
          y[n][c][i][j] = sum;
        }
      }
    }
  }
}
