#include <optigpu.h>

#define K 3
#define STRIDE 2
#define PAD 1
#define DIL 2

// transposed convolution as PyTorch defines it: each input is spread over the outputs that it reaches
void conv_transposed_scatter(int batch, int inputs, int outputs, int l, int l2, float x[batch][inputs][l],
                             float f[inputs][outputs][K], float bias[outputs], float y[batch][outputs][l2]) {
  __requires("X: int * int * int -> float, F: int * int * int -> float, B: int -> float");
  __reads("x ~> Matrix3(batch, inputs, l, X), f ~> Matrix3(inputs, outputs, K, F), bias ~> Matrix1(outputs, B)");
  __writes("y ~> Matrix3(batch, outputs, l2, fun n o i -> B(o) + Sum(c in 0..inputs, p in 0..K, "
           "0 <= i + PAD - p * DIL && (i + PAD - p * DIL) % STRIDE == 0 && (i + PAD - p * DIL) / STRIDE < l ? "
           "X(n, c, (i + PAD - p * DIL) / STRIDE) * F(c, o, p) : 0.0f))");
  for (int n = 0; n < batch; n++) {
    for (int o = 0; o < outputs; o++) {
      for (int i = 0; i < l2; i++) {
        y[n][o][i] = bias[o];
      }
    }
    for (int c = 0; c < inputs; c++) {
      for (int i = 0; i < l; i++) {
        for (int o = 0; o < outputs; o++) {
          for (int p = 0; p < K; p++) {
            const int s = i * STRIDE + p * DIL - PAD;
            if (0 <= s && s < l2) {
              y[n][o][s] += x[n][c][i] * f[c][o][p];
            }
          }
        }
      }
    }
  }
}
