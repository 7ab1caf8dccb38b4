#include <optigpu.h>

// c = aᵀ bᵀ; m = 2048, p = 8192, n = 4096
void matmul_transposed_both(int m, int n, int p, float a[p][m], float b[n][p], float c[m][n]) {
  __requires("A: int * int -> float, B: int * int -> float");
  __reads("a ~> Matrix2(p, m, A), b ~> Matrix2(n, p, B)");
  __writes("c ~> Matrix2(m, n, fun i j -> Sum(k in 0..p, A(k, i) * B(j, k)))");
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < n; j++) {
      float sum = 0.0f;
      for (int k = 0; k < p; k++) {
        sum += a[k][i] * b[j][k];
      }
      c[i][j] = sum;
    }
  }
}
