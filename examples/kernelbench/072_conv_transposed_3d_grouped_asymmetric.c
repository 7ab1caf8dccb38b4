#include <optigpu.h>

#define K_D 3
#define K_H 5
#define K_W 7
#define STRIDE 2
#define PAD_D 1
#define PAD_H 2
#define PAD_W 3

// transposed 3-D convolution in 4 groups, output padding 1; x 8 x 32 x 12 x 24 x 48, 32 outputs
void conv_transposed_3d_grouped_asymmetric(int batch, int groups, int inputs, int outputs, int d, int h, int w, int d2, int h2, int w2,
                                           float x[batch][groups][inputs][d][h][w],
                                           float f[groups][inputs][outputs][K_D][K_H][K_W],
                                           float y[batch][groups][outputs][d2][h2][w2]) {
  __requires("X: int * int * int * int * int * int -> float, F: int * int * int * int * int * int -> float");
  __requires("d > 0");
  __requires("d2 == (d - 1) * STRIDE - 2 * PAD_D + K_D - 1 + 2");
  __requires("h > 0");
  __requires("h2 == (h - 1) * STRIDE - 2 * PAD_H + K_H - 1 + 2");
  __requires("w > 0");
  __requires("w2 == (w - 1) * STRIDE - 2 * PAD_W + K_W - 1 + 2");
  __reads("x ~> Matrix6(batch, groups, inputs, d, h, w, X), f ~> Matrix6(groups, inputs, outputs, K_D, K_H, K_W, F)");
  __writes("y ~> Matrix6(batch, groups, outputs, d2, h2, w2, fun n g o i j k -> "
           "Sum(c in 0..inputs, p in 0..K_D, q in 0..K_H, r in 0..K_W, "
           "0 <= i + PAD_D - p && (i + PAD_D - p) % STRIDE == 0 && (i + PAD_D - p) / STRIDE < d && "
           "0 <= j + PAD_H - q && (j + PAD_H - q) % STRIDE == 0 && (j + PAD_H - q) / STRIDE < h && "
           "0 <= k + PAD_W - r && (k + PAD_W - r) % STRIDE == 0 && (k + PAD_W - r) / STRIDE < w ? "
           "X(n, g, c, (i + PAD_D - p) / STRIDE, (j + PAD_H - q) / STRIDE, (k + PAD_W - r) / STRIDE) * "
           "F(g, c, o, p, q, r) : 0.0f))");
  for (int n = 0; n < batch; n++) {
    for (int g = 0; g < groups; g++) {
      for (int o = 0; o < outputs; o++) {
        for (int i = 0; i < d2; i++) {
          for (int j = 0; j < h2; j++) {
            for (int k = 0; k < w2; k++) {
              float sum = 0.0f;
              for (int c = 0; c < inputs; c++) {
                for (int p = 0; p < K_D; p++) {
                  for (int q = 0; q < K_H; q++) {
                    for (int r = 0; r < K_W; r++) {
                      const int s = i + PAD_D - p;
                      const int t = j + PAD_H - q;
                      const int u = k + PAD_W - r;
                      if (0 <= s && s % STRIDE == 0 && s / STRIDE < d &&
                          0 <= t && t % STRIDE == 0 && t / STRIDE < h &&
                          0 <= u && u % STRIDE == 0 && u / STRIDE < w) {
                        sum += x[n][g][c][s / STRIDE][t / STRIDE][u / STRIDE] * f[g][c][o][p][q][r];
                      }
                    }
                  }
                }
              }
              y[n][g][o][i][j][k] = sum;
            }
          }
        }
      }
    }
  }
}
