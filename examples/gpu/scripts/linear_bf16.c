#include <optigpu.h>

// A layer of a network: y = relu(x * transposed weights + bias)
void linear(int m, int n, int p, bf16 x[m][p], bf16 weights[n][p], bf16 bias[n], bf16 y[m][n]) {
  __requires("X: int * int -> float, W: int * int -> float, B: int -> float");
  __reads("x ~> Matrix2(m, p, X), weights ~> Matrix2(n, p, W), bias ~> Matrix1(n, B)");
  __writes("y ~> Matrix2(m, n, fun i j -> max(Sum(k in 0..p, X(i, k) * W(j, k)) + B(j), 0))");
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < n; j++) {
      float sum = 0.0f;
      for (int k = 0; k < p; k++) {
        sum += x[i][k] * weights[j][k];
      }
      y[i][j] = fmaxf(sum + bias[j], 0.0f);
    }
  }
}
