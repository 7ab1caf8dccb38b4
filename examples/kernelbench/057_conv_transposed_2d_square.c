#include <optigpu.h>

#define K 3

// transposed 2-D convolution; x 8 x 64 x 1024 x 1024, 64 outputs
void conv_transposed_2d_square(int batch, int inputs, int outputs, int h, int w, int h2, int w2,
                               float x[batch][inputs][h][w], float f[inputs][outputs][K][K], float y[batch][outputs][h2][w2]) {
  __requires("X: int * int * int * int -> float, F: int * int * int * int -> float");
  __requires("h2 == h + K - 1");
  __requires("w2 == w + K - 1");
  __reads("x ~> Matrix4(batch, inputs, h, w, X), f ~> Matrix4(inputs, outputs, K, K, F)");
  __writes("y ~> Matrix4(batch, outputs, h2, w2, fun n o i j -> Sum(c in 0..inputs, p in 0..K, q in 0..K, "
           "0 <= i - p && (i - p) < h && 0 <= j - q && (j - q) < w ? X(n, c, i - p, j - q) * F(c, o, p, q) : 0.0f))");
  for (int n = 0; n < batch; n++) {
    for (int o = 0; o < outputs; o++) {
      for (int i = 0; i < h2; i++) {
        for (int j = 0; j < w2; j++) {
          float sum = 0.0f;
          for (int c = 0; c < inputs; c++) {
            for (int p = 0; p < K; p++) {
              for (int q = 0; q < K; q++) {
                const int s = i - p;
                const int t = j - q;
                if (0 <= s && s < h && 0 <= t && t < w) {
                  sum += x[n][c][s][t] * f[c][o][p][q];
                }
              }
            }
          }
          y[n][o][i][j] = sum;
        }
      }
    }
  }
}
