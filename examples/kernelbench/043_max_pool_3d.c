#include <optigpu.h>

#define K 3
#define STRIDE 2
#define PAD 1
#define DIL 3

// maxima of windows; 16 x 32 x 128 x 128 x 128
void max_pool_3d(int batch, int channels, int d, int h, int w, int d2, int h2, int w2,
                 float x[batch][channels][d][h][w], float y[batch][channels][d2][h2][w2]) {
  __requires("X: int * int * int * int * int -> float");
  __requires("d + 2 * PAD - DIL * (K - 1) - 1 >= 0 && d2 == (d + 2 * PAD - DIL * (K - 1) - 1) / STRIDE + 1");
  __requires("h + 2 * PAD - DIL * (K - 1) - 1 >= 0 && h2 == (h + 2 * PAD - DIL * (K - 1) - 1) / STRIDE + 1");
  __requires("w + 2 * PAD - DIL * (K - 1) - 1 >= 0 && w2 == (w + 2 * PAD - DIL * (K - 1) - 1) / STRIDE + 1");
  __reads("x ~> Matrix5(batch, channels, d, h, w, X)");
  __writes("y ~> Matrix5(batch, channels, d2, h2, w2, fun n c i j k -> Max(p in 0..K, q in 0..K, r in 0..K, "
           "0 <= i * STRIDE - PAD + p * DIL && i * STRIDE - PAD + p * DIL < d && "
           "0 <= j * STRIDE - PAD + q * DIL && j * STRIDE - PAD + q * DIL < h && "
           "0 <= k * STRIDE - PAD + r * DIL && k * STRIDE - PAD + r * DIL < w"
           " ? X(n, c, i * STRIDE - PAD + p * DIL, j * STRIDE - PAD + q * DIL, k * STRIDE - PAD + r * DIL) : -INFINITY))");
  for (int n = 0; n < batch; n++) {
    for (int c = 0; c < channels; c++) {
      for (int i = 0; i < d2; i++) {
        for (int j = 0; j < h2; j++) {
          for (int k = 0; k < w2; k++) {
            float best = -INFINITY;
            for (int p = 0; p < K; p++) {
              for (int q = 0; q < K; q++) {
                for (int r = 0; r < K; r++) {
                  const int s = i * STRIDE - PAD + p * DIL;
                  const int t = j * STRIDE - PAD + q * DIL;
                  const int u = k * STRIDE - PAD + r * DIL;
                  if (0 <= s && s < d && 0 <= t && t < h && 0 <= u && u < w) {
                    best = fmaxf(best, x[n][c][s][t][u]);
                  }
                }
              }
            }
            y[n][c][i][j][k] = best;
          }
        }
      }
    }
  }
}
