#include <optigpu.h>

#define K 11
#define STRIDE 4
#define PAD 2

// 2-D convolution with a bias; x 256 x 3 x 224 x 224, 96 outputs
void conv_2d_alexnet(int batch, int inputs, int outputs, int h, int w, int h2, int w2,
                     float x[batch][inputs][h][w],
                     float f[outputs][inputs][K][K],
                     float bias[outputs],
                     float y[batch][outputs][h2][w2]) {
  __requires("X: int * int * int * int -> float, F: int * int * int * int -> float, B: int -> float");
  __requires("h + 2 * PAD - K >= 0");
  __requires("h2 == (h + 2 * PAD - K) / STRIDE + 1");
  __requires("w + 2 * PAD - K >= 0");
  __requires("w2 == (w + 2 * PAD - K) / STRIDE + 1");
  __reads("x ~> Matrix4(batch, inputs, h, w, X), f ~> Matrix4(outputs, inputs, K, K, F), bias ~> Matrix1(outputs, B)");
  __writes("y ~> Matrix4(batch, outputs, h2, w2, fun n o i j -> B(o) + Sum(c in 0..inputs, p in 0..K, q in 0..K, "
           "0 <= i * STRIDE - PAD + p && i * STRIDE - PAD + p < h && 0 <= j * STRIDE - PAD + q && j * STRIDE - PAD + q < w"
           " ? X(n, c, i * STRIDE - PAD + p, j * STRIDE - PAD + q) * F(o, c, p, q) : 0.0f))");
  for (int n = 0; n < batch; n++) {
    for (int o = 0; o < outputs; o++) {
      for (int i = 0; i < h2; i++) {
        for (int j = 0; j < w2; j++) {
          float sum = bias[o];
          for (int c = 0; c < inputs; c++) {
            for (int p = 0; p < K; p++) {
              for (int q = 0; q < K; q++) {
                const int s = i * STRIDE - PAD + p;
                const int t = j * STRIDE - PAD + q;
                if (0 <= s && s < h && 0 <= t && t < w) {
                  sum += x[n][c][s][t] * f[o][c][p][q];
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
