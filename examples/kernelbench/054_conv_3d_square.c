#include <optigpu.h>

#define K 3

// 3-D convolution; x 16 x 3 x 64 x 64 x 64, 64 outputs
void conv_3d_square(int batch, int inputs, int outputs, int d, int h, int w,
                    float x[batch][inputs][d][h][w],
                    float f[outputs][inputs][K][K][K],
                    float y[batch][outputs][d - K + 1][h - K + 1][w - K + 1]) {
  __requires("X: int * int * int * int * int -> float, F: int * int * int * int * int -> float");
  __requires("d >= K");
  __requires("h >= K");
  __requires("w >= K");
  __reads("x ~> Matrix5(batch, inputs, d, h, w, X), f ~> Matrix5(outputs, inputs, K, K, K, F)");
  __writes("y ~> Matrix5(batch, outputs, d - K + 1, h - K + 1, w - K + 1, fun n o i j k -> "
           "Sum(c in 0..inputs, p in 0..K, q in 0..K, r in 0..K, X(n, c, i + p, j + q, k + r) * F(o, c, p, q, r)))");
  for (int n = 0; n < batch; n++) {
    for (int o = 0; o < outputs; o++) {
      for (int i = 0; i < d - K + 1; i++) {
        for (int j = 0; j < h - K + 1; j++) {
          for (int k = 0; k < w - K + 1; k++) {
            float sum = 0.0f;
            for (int c = 0; c < inputs; c++) {
              for (int p = 0; p < K; p++) {
                for (int q = 0; q < K; q++) {
                  for (int r = 0; r < K; r++) {
                    sum += x[n][c][i + p][j + q][k + r] * f[o][c][p][q][r];
                  }
                }
              }
            }
            y[n][o][i][j][k] = sum;
          }
        }
      }
    }
  }
}
