#include <optigpu.h>

#define K 8
#define PAD 4
#define DIL 3

// maxima of windows; 64 x 192 x 65536
void max_pool_1d(int batch, int channels, int l, int l2,
                 float x[batch][channels][l], float y[batch][channels][l2]) {
  __requires("X: int * int * int -> float");
  __requires("l + 2 * PAD - DIL * (K - 1) - 1 >= 0 && l2 == l + 2 * PAD - DIL * (K - 1) - 1 + 1");
  __reads("x ~> Matrix3(batch, channels, l, X)");
  __writes("y ~> Matrix3(batch, channels, l2, fun n c i -> Max(p in 0..K, 0 <= i - PAD + p * DIL && i - PAD + p * DIL < l"
           " ? X(n, c, i - PAD + p * DIL) : -INFINITY))");
  for (int n = 0; n < batch; n++) {
    for (int c = 0; c < channels; c++) {
      for (int i = 0; i < l2; i++) {
        float best = -INFINITY;
        for (int p = 0; p < K; p++) {
          const int s = i - PAD + p * DIL;
          if (0 <= s && s < l) {
            best = fmaxf(best, x[n][c][s]);
          }
        }
        y[n][c][i] = best;
      }
    }
  }
}
