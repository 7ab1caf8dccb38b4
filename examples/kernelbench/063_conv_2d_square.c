#include <optigpu.h>

#define K 3

// 2-D convolution; x 16 x 16 x 1024 x 1024, 128 outputs
void conv_2d_square(int batch, int inputs, int outputs, int h, int w,
                    float x[batch][inputs][h][w], float f[outputs][inputs][K][K], float y[batch][outputs][h - K + 1][w - K + 1]) {
  __requires("X: int * int * int * int -> float, F: int * int * int * int -> float");
  __requires("h >= K");
  __requires("w >= K");
  __reads("x ~> Matrix4(batch, inputs, h, w, X), f ~> Matrix4(outputs, inputs, K, K, F)");
  __writes("y ~> Matrix4(batch, outputs, h - K + 1, w - K + 1, fun n o i j -> Sum(c in 0..inputs, p in 0..K, q in 0..K, "
           "X(n, c, i + p, j + q) * F(o, c, p, q)))");
  for (int n = 0; n < batch; n++) {
    for (int o = 0; o < outputs; o++) {
      for (int i = 0; i < h - K + 1; i++) {
        for (int j = 0; j < w - K + 1; j++) {
          float sum = 0.0f;
          for (int c = 0; c < inputs; c++) {
            for (int p = 0; p < K; p++) {
              for (int q = 0; q < K; q++) {
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
