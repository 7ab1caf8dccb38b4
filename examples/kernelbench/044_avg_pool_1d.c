#include <optigpu.h>

#define K 8
#define PAD 4

// means of windows, padding included; 64 x 128 x 65536
void avg_pool_1d(int batch, int channels, int l, int l2,
                 float x[batch][channels][l], float y[batch][channels][l2]) {
  __requires("X: int * int * int -> float");
  __requires("l + 2 * PAD - K >= 0 && l2 == l + 2 * PAD - K + 1");
  __reads("x ~> Matrix3(batch, channels, l, X)");
  __writes("y ~> Matrix3(batch, channels, l2, fun n c i -> Sum(p in 0..K, 0 <= i - PAD + p && i - PAD + p < l"
           " ? X(n, c, i - PAD + p) : 0.0f) / K)");
  for (int n = 0; n < batch; n++) {
    for (int c = 0; c < channels; c++) {
      for (int i = 0; i < l2; i++) {
        float sum = 0.0f;
        for (int p = 0; p < K; p++) {
          const int s = i - PAD + p;
          if (0 <= s && s < l) {
            sum += x[n][c][s];
          }
        }
        y[n][c][i] = sum / K;
      }
    }
  }
}
