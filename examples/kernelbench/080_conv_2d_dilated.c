#include <optigpu.h>

#define K_H 5
#define K_W 9
#define PAD_H 2
#define PAD_W 4
#define DIL_H 2
#define DIL_W 3

// 2-D convolution; x 8 x 32 x 512 x 512, 64 outputs
void conv_2d_dilated(int batch, int inputs, int outputs, int h, int w, int h2, int w2,
                     float x[batch][inputs][h][w], float f[outputs][inputs][K_H][K_W], float y[batch][outputs][h2][w2]) {
  __requires("X: int * int * int * int -> float, F: int * int * int * int -> float");
  __requires("h2 == h + 2 * PAD_H - DIL_H * (K_H - 1)");
  __requires("w2 == w + 2 * PAD_W - DIL_W * (K_W - 1)");
  __reads("x ~> Matrix4(batch, inputs, h, w, X), f ~> Matrix4(outputs, inputs, K_H, K_W, F)");
  __writes("y ~> Matrix4(batch, outputs, h2, w2, fun n o i j -> Sum(c in 0..inputs, p in 0..K_H, q in 0..K_W, "
           "0 <= i - PAD_H + p * DIL_H && i - PAD_H + p * DIL_H < h && "
           "0 <= j - PAD_W + q * DIL_W && j - PAD_W + q * DIL_W < w ? "
           "X(n, c, i - PAD_H + p * DIL_H, j - PAD_W + q * DIL_W) * F(o, c, p, q) : 0.0f))");
  for (int n = 0; n < batch; n++) {
    for (int o = 0; o < outputs; o++) {
      for (int i = 0; i < h2; i++) {
        for (int j = 0; j < w2; j++) {
          float sum = 0.0f;
          for (int c = 0; c < inputs; c++) {
            for (int p = 0; p < K_H; p++) {
              for (int q = 0; q < K_W; q++) {
                const int s = i - PAD_H + p * DIL_H;
                const int t = j - PAD_W + q * DIL_W;
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
