#include <optigpu.h>

#define K 3
#define STRIDE 5
#define PAD 1
#define DIL 2

// transposed 2-D convolution; x 16 x 32 x 64 x 128, 64 outputs
void conv_transposed_2d_dilated(int batch, int inputs, int outputs, int h, int w, int h2, int w2,
                                float x[batch][inputs][h][w], float f[inputs][outputs][K][K], float y[batch][outputs][h2][w2]) {
  __requires("X: int * int * int * int -> float, F: int * int * int * int -> float");
  __requires("h > 0");
  __requires("h2 == (h - 1) * STRIDE - 2 * PAD + DIL * (K - 1) + 1");
  __requires("w > 0");
  __requires("w2 == (w - 1) * STRIDE - 2 * PAD + DIL * (K - 1) + 1");
  __reads("x ~> Matrix4(batch, inputs, h, w, X), f ~> Matrix4(inputs, outputs, K, K, F)");
  __writes("y ~> Matrix4(batch, outputs, h2, w2, fun n o i j -> Sum(c in 0..inputs, p in 0..K, q in 0..K, "
           "0 <= i + PAD - p * DIL && (i + PAD - p * DIL) % STRIDE == 0 && (i + PAD - p * DIL) / STRIDE < h && "
           "0 <= j + PAD - q * DIL && (j + PAD - q * DIL) % STRIDE == 0 && (j + PAD - q * DIL) / STRIDE < w ? "
           "X(n, c, (i + PAD - p * DIL) / STRIDE, (j + PAD - q * DIL) / STRIDE) * F(c, o, p, q) : 0.0f))");
  for (int n = 0; n < batch; n++) {
    for (int o = 0; o < outputs; o++) {
      for (int i = 0; i < h2; i++) {
        for (int j = 0; j < w2; j++) {
          float sum = 0.0f;
          for (int c = 0; c < inputs; c++) {
            for (int p = 0; p < K; p++) {
              for (int q = 0; q < K; q++) {
                const int s = i + PAD - p * DIL;
                const int t = j + PAD - q * DIL;
                if (0 <= s && s % STRIDE == 0 && s / STRIDE < h && 0 <= t && t % STRIDE == 0 && t / STRIDE < w) {
                  sum += x[n][c][s / STRIDE][t / STRIDE] * f[c][o][p][q];
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
