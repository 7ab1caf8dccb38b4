#include <optigpu.h>

#define K 3
#define STRIDE 3
#define DIL 4

// 1-D convolution; x 64 x 64 x 524280, 128 outputs
void conv_1d_dilated_strided(int batch, int inputs, int outputs, int l, int l2,
                             float x[batch][inputs][l], float f[outputs][inputs][K], float y[batch][outputs][l2]) {
  __requires("X: int * int * int -> float, F: int * int * int -> float");
  __requires("l - DIL * (K - 1) - 1 >= 0");
  __requires("l2 == (l - DIL * (K - 1) - 1) / STRIDE + 1");
  __reads("x ~> Matrix3(batch, inputs, l, X), f ~> Matrix3(outputs, inputs, K, F)");
  __writes("y ~> Matrix3(batch, outputs, l2, fun n o i -> Sum(c in 0..inputs, p in 0..K, "
           "X(n, c, i * STRIDE + p * DIL) * F(o, c, p)))");
  for (int n = 0; n < batch; n++) {
    for (int o = 0; o < outputs; o++) {
      for (int i = 0; i < l2; i++) {
        float sum = 0.0f;
        for (int c = 0; c < inputs; c++) {
          for (int p = 0; p < K; p++) {
            sum += x[n][c][i * STRIDE + p * DIL] * f[o][c][p];
          }
        }
        y[n][o][i] = sum;
      }
    }
  }
}
