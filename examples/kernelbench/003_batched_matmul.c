#include <optigpu.h>

// c[t] = a[t] b[t] for every t of a batch; batch = 128, m = 512, p = 1024, n = 2048
void batched_matmul(int batch, int m, int n, int p, float a[batch][m][p], float b[batch][p][n], float c[batch][m][n]) {
  __requires("A: int * int * int -> float, B: int * int * int -> float");
  __reads("a ~> Matrix3(batch, m, p, A), b ~> Matrix3(batch, p, n, B)");
  __writes("c ~> Matrix3(batch, m, n, fun t i j -> Sum(k in 0..p, A(t, i, k) * B(t, k, j)))");
  for (int t = 0; t < batch; t++) {
    for (int i = 0; i < m; i++) {
      for (int j = 0; j < n; j++) {
        float sum = 0.0f;
        for (int k = 0; k < p; k++) {
          sum += a[t][i][k] * b[t][k][j];
        }
        c[t][i][j] = sum;
      }
    }
  }
}
