#include <optigpu.h>

// 2-D convolution with a kernel of one element; x 16 x 64 x 1024 x 1024, 128 outputs, hw = 1024 * 1024
void conv_pointwise_2d(int batch, int inputs, int outputs, int hw, float x[batch][inputs][hw], float f[outputs][inputs],
                       float y[batch][outputs][hw]) {
  __requires("X: int * int * int -> float, F: int * int -> float");
  __reads("x ~> Matrix3(batch, inputs, hw, X), f ~> Matrix2(outputs, inputs, F)");
  __writes("y ~> Matrix3(batch, outputs, hw, fun n o p -> Sum(c in 0..inputs, F(o, c) * X(n, c, p)))");
  for (int n = 0; n < batch; n++) {
    for (int o = 0; o < outputs; o++) {
      for (int p = 0; p < hw; p++) {
        float sum = 0.0f;
        for (int c = 0; c < inputs; c++) {
          sum += f[o][c] * x[n][c][p];
        }
        y[n][o][p] = sum;
      }
    }
  }
}
