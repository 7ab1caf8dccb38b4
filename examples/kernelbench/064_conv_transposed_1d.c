#include <optigpu.h>

#define K 3

// transposed 1-D convolution; x 64 x 128 x 65536, 128 outputs
void conv_transposed_1d(int batch, int inputs, int outputs, int l, int l2,
                        float x[batch][inputs][l], float f[inputs][outputs][K], float y[batch][outputs][l2]) {
  __requires("X: int * int * int -> float, F: int * int * int -> float");
  __requires("l2 == l + K - 1");
  __reads("x ~> Matrix3(batch, inputs, l, X), f ~> Matrix3(inputs, outputs, K, F)");
  __writes("y ~> Matrix3(batch, outputs, l2, fun n o i -> Sum(c in 0..inputs, p in 0..K, 0 <= i - p && (i - p) < l ? "
           "X(n, c, i - p) * F(c, o, p) : 0.0f))");
  for (int n = 0; n < batch; n++) {
    for (int o = 0; o < outputs; o++) {
      for (int i = 0; i < l2; i++) {
        float sum = 0.0f;
        for (int c = 0; c < inputs; c++) {
          for (int p = 0; p < K; p++) {
            const int s = i - p;
            if (0 <= s && s < l) {
              sum += x[n][c][s] * f[c][o][p];
            }
          }
        }
        y[n][o][i] = sum;
      }
    }
  }
}
