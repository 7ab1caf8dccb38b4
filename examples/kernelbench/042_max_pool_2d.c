#include <optigpu.h>

#define K 4
#define PAD 1

// maxima of windows; 32 x 64 x 512 x 512
void max_pool_2d(int batch, int channels, int h, int w, int h2, int w2,
                 float x[batch][channels][h][w], float y[batch][channels][h2][w2]) {
  __requires("X: int * int * int * int -> float");
  __requires("h + 2 * PAD - K >= 0 && h2 == h + 2 * PAD - K + 1");
  __requires("w + 2 * PAD - K >= 0 && w2 == w + 2 * PAD - K + 1");
  __reads("x ~> Matrix4(batch, channels, h, w, X)");
  __writes("y ~> Matrix4(batch, channels, h2, w2, fun n c i j -> Max(p in 0..K, q in 0..K, "
           "0 <= i - PAD + p && i - PAD + p < h && 0 <= j - PAD + q && j - PAD + q < w"
           " ? X(n, c, i - PAD + p, j - PAD + q) : -INFINITY))");
  for (int n = 0; n < batch; n++) {
    for (int c = 0; c < channels; c++) {
      for (int i = 0; i < h2; i++) {
        for (int j = 0; j < w2; j++) {
          float best = -INFINITY;
          for (int p = 0; p < K; p++) {
            for (int q = 0; q < K; q++) {
              const int s = i - PAD + p;
              const int t = j - PAD + q;
              if (0 <= s && s < h && 0 <= t && t < w) {
                best = fmaxf(best, x[n][c][s][t]);
              }
            }
          }
          y[n][c][i][j] = best;
        }
      }
    }
  }
}
