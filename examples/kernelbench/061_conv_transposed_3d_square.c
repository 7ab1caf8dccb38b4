#include <optigpu.h>

#define K 3

// transposed 3-D convolution; x 8 x 48 x 64 x 64 x 64, 48 outputs
void conv_transposed_3d_square(int batch, int inputs, int outputs, int d, int h, int w, int d2, int h2, int w2,
                               float x[batch][inputs][d][h][w],
                               float f[inputs][outputs][K][K][K],
                               float y[batch][outputs][d2][h2][w2]) {
  __requires("X: int * int * int * int * int -> float, F: int * int * int * int * int -> float");
  __requires("d2 == d + K - 1");
  __requires("h2 == h + K - 1");
  __requires("w2 == w + K - 1");
  __reads("x ~> Matrix5(batch, inputs, d, h, w, X), f ~> Matrix5(inputs, outputs, K, K, K, F)");
  __writes("y ~> Matrix5(batch, outputs, d2, h2, w2, fun n o i j k -> "
           "Sum(c in 0..inputs, p in 0..K, q in 0..K, r in 0..K, 0 <= i - p && (i - p) < d && "
           "0 <= j - q && (j - q) < h && 0 <= k - r && (k - r) < w ? X(n, c, i - p, j - q, k - r) * "
           "F(c, o, p, q, r) : 0.0f))");
  for (int n = 0; n < batch; n++) {
    for (int o = 0; o < outputs; o++) {
      for (int i = 0; i < d2; i++) {
        for (int j = 0; j < h2; j++) {
          for (int k = 0; k < w2; k++) {
            float sum = 0.0f;
            for (int c = 0; c < inputs; c++) {
              for (int p = 0; p < K; p++) {
                for (int q = 0; q < K; q++) {
                  for (int r = 0; r < K; r++) {
                    const int s = i - p;
                    const int t = j - q;
                    const int u = k - r;
                    if (0 <= s && s < d && 0 <= t && t < h && 0 <= u && u < w) {
                      sum += x[n][c][s][t][u] * f[c][o][p][q][r];
                    }
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
