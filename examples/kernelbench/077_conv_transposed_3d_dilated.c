#include <optigpu.h>

#define K 3
#define STRIDE 2
#define PAD 1
#define DIL 2

// transposed 3-D convolution; x 16 x 32 x 16 x 32 x 32, 64 outputs
void conv_transposed_3d_dilated(int batch, int inputs, int outputs, int d, int h, int w, int d2, int h2, int w2,
                                float x[batch][inputs][d][h][w],
                                float f[inputs][outputs][K][K][K],
                                float y[batch][outputs][d2][h2][w2]) {
  __requires("X: int * int * int * int * int -> float, F: int * int * int * int * int -> float");
  __requires("d > 0");
  __requires("d2 == (d - 1) * STRIDE - 2 * PAD + DIL * (K - 1) + 1");
  __requires("h > 0");
  __requires("h2 == (h - 1) * STRIDE - 2 * PAD + DIL * (K - 1) + 1");
  __requires("w > 0");
  __requires("w2 == (w - 1) * STRIDE - 2 * PAD + DIL * (K - 1) + 1");
  __reads("x ~> Matrix5(batch, inputs, d, h, w, X), f ~> Matrix5(inputs, outputs, K, K, K, F)");
  __writes("y ~> Matrix5(batch, outputs, d2, h2, w2, fun n o i j k -> "
           "Sum(c in 0..inputs, p in 0..K, q in 0..K, r in 0..K, "
           "0 <= i + PAD - p * DIL && (i + PAD - p * DIL) % STRIDE == 0 && (i + PAD - p * DIL) / STRIDE < d && "
           "0 <= j + PAD - q * DIL && (j + PAD - q * DIL) % STRIDE == 0 && (j + PAD - q * DIL) / STRIDE < h && "
           "0 <= k + PAD - r * DIL && (k + PAD - r * DIL) % STRIDE == 0 && (k + PAD - r * DIL) / STRIDE < w ? "
           "X(n, c, (i + PAD - p * DIL) / STRIDE, (j + PAD - q * DIL) / STRIDE, (k + PAD - r * DIL) / STRIDE) * "
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
                    const int s = i + PAD - p * DIL;
                    const int t = j + PAD - q * DIL;
                    const int u = k + PAD - r * DIL;
                    if (0 <= s && s % STRIDE == 0 && s / STRIDE < d &&
                        0 <= t && t % STRIDE == 0 && t / STRIDE < h &&
                        0 <= u && u % STRIDE == 0 && u / STRIDE < w) {
                      sum += x[n][c][s / STRIDE][t / STRIDE][u / STRIDE] * f[c][o][p][q][r];
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
