#include <optigpu.h>

#define K_H 3
#define K_W 5
#define STRIDE_H 2
#define STRIDE_W 3
#define PAD_H 1
#define PAD_W 2
#define DIL_H 2
#define DIL_W 1

// transposed 2-D convolution in 4 groups; x 16 x 32 x 128 x 256, 64 outputs
void conv_transposed_2d_grouped(int batch, int groups, int inputs, int outputs, int h, int w, int h2, int w2,
                                float x[batch][groups][inputs][h][w],
                                float f[groups][inputs][outputs][K_H][K_W],
                                float y[batch][groups][outputs][h2][w2]) {
  __requires("X: int * int * int * int * int -> float, F: int * int * int * int * int -> float");
  __requires("h > 0");
  __requires("h2 == (h - 1) * STRIDE_H - 2 * PAD_H + DIL_H * (K_H - 1) + 1");
  __requires("w > 0");
  __requires("w2 == (w - 1) * STRIDE_W - 2 * PAD_W + DIL_W * (K_W - 1) + 1");
  __reads("x ~> Matrix5(batch, groups, inputs, h, w, X), f ~> Matrix5(groups, inputs, outputs, K_H, K_W, F)");
  __writes("y ~> Matrix5(batch, groups, outputs, h2, w2, fun n g o i j -> Sum(c in 0..inputs, p in 0..K_H, q in 0..K_W, "
           "0 <= i + PAD_H - p * DIL_H && (i + PAD_H - p * DIL_H) % STRIDE_H == 0 && (i + PAD_H - p * DIL_H) / STRIDE_H < h && "
           "0 <= j + PAD_W - q * DIL_W && (j + PAD_W - q * DIL_W) % STRIDE_W == 0 && (j + PAD_W - q * DIL_W) / STRIDE_W < w"
           " ? X(n, g, c, (i + PAD_H - p * DIL_H) / STRIDE_H, (j + PAD_W - q * DIL_W) / STRIDE_W) * "
           "F(g, c, o, p, q) : 0.0f))");
  for (int n = 0; n < batch; n++) {
    for (int g = 0; g < groups; g++) {
      for (int o = 0; o < outputs; o++) {
        for (int i = 0; i < h2; i++) {
          for (int j = 0; j < w2; j++) {
            float sum = 0.0f;
            for (int c = 0; c < inputs; c++) {
              for (int p = 0; p < K_H; p++) {
                for (int q = 0; q < K_W; q++) {
                  const int s = i + PAD_H - p * DIL_H;
                  const int t = j + PAD_W - q * DIL_W;
                  if (0 <= s && s % STRIDE_H == 0 && s / STRIDE_H < h &&
                      0 <= t && t % STRIDE_W == 0 && t / STRIDE_W < w) {
                    sum += x[n][g][c][s / STRIDE_H][t / STRIDE_W] * f[g][c][o][p][q];
                  }
                }
              }
            }
            y[n][g][o][i][j] = sum;
          }
        }
      }
    }
  }
}
