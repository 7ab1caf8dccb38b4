#include <optigpu.h>

#define K 3

// 1-D convolution; x 32 x 64 x 131072, 128 outputs
void conv_1d(int batch, int inputs, int outputs, int l,
             float x[batch][inputs][l], float f[outputs][inputs][K], float y[batch][outputs][l - K + 1]) {
  __requires("X: int * int * int -> float, F: int * int * int -> float");
  __requires("l >= K");
  __reads("x ~> Matrix3(batch, inputs, l, X), f ~> Matrix3(outputs, inputs, K, F)");
  __writes("y ~> Matrix3(batch, outputs, l - K + 1, fun n o i -> Sum(c in 0..inputs, p in 0..K, "
           "X(n, c, i + p) * F(o, c, p)))");
  for (int n = 0; n < batch; n++) {
    for (int o = 0; o < outputs; o++) {
      for (int i = 0; i < l - K + 1; i++) {
        float sum = 0.0f;
        for (int c = 0; c < inputs; c++) {
          for (int p = 0; p < K; p++) {
            sum += x[n][c][i + p] * f[o][c][p];
          }
        }
        y[n][o][i] = sum;
      }
    }
  }
}
