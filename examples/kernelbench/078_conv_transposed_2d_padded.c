#include <optigpu.h>

#define K_H 3
#define K_W 7
#define PAD_H 1
#define PAD_W 3

// transposed 2-D convolution; x 8 x 32 x 512 x 1024, 32 outputs
void conv_transposed_2d_padded(int batch, int inputs, int outputs, int h, int w, int h2, int w2,
                               float x[batch][inputs][h][w], float f[inputs][outputs][K_H][K_W], float y[batch][outputs][h2][w2]) {
  __requires("X: int * int * int * int -> float, F: int * int * int * int -> float");
  __requires("h2 == h - 2 * PAD_H + K_H - 1");
  __requires("w2 == w - 2 * PAD_W + K_W - 1");
  __reads("x ~> Matrix4(batch, inputs, h, w, X), f ~> Matrix4(inputs, outputs, K_H, K_W, F)");
  __writes("y ~> Matrix4(batch, outputs, h2, w2, fun n o i j -> Sum(c in 0..inputs, p in 0..K_H, q in 0..K_W, "
           "0 <= i + PAD_H - p && (i + PAD_H - p) < h && 0 <= j + PAD_W - q && (j + PAD_W - q) < w ? "
           "X(n, c, i + PAD_H - p, j + PAD_W - q) * F(c, o, p, q) : 0.0f))");
  for (int n = 0; n < batch; n++) {
    for (int o = 0; o < outputs; o++) {
      for (int i = 0; i < h2; i++) {
        for (int j = 0; j < w2; j++) {
          float sum = 0.0f;
          for (int c = 0; c < inputs; c++) {
            for (int p = 0; p < K_H; p++) {
              for (int q = 0; q < K_W; q++) {
                const int s = i + PAD_H - p;
                const int t = j + PAD_W - q;
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
