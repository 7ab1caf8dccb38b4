#include <optigpu.h>

// c[t][i] = a[t][i] b: a 3-D tensor times a matrix; batch = 16, m = 1024, p = 2048, n = 768
void tensor3_matmul(int batch, int m, int n, int p, float a[batch][m][p], float b[p][n], float c[batch][m][n]) {
  __requires("A: int * int * int -> float, B: int * int -> float");
  __reads("a ~> Matrix3(batch, m, p, A), b ~> Matrix2(p, n, B)");
  __writes("c ~> Matrix3(batch, m, n, fun t i j -> Sum(k in 0..p, A(t, i, k) * B(k, j)))");
  for (int t = 0; t < batch; t++) {
    for (int i = 0; i < m; i++) {
      for (int j = 0; j < n; j++) {
        float sum = 0.0f;
        for (int k = 0; k < p; k++) {
          sum += a[t][i][k] * b[k][j];
        }
        c[t][i][j] = sum;
      }
    }
  }
}
