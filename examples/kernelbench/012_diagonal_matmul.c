#include <optigpu.h>

// c = diag(d) b; n = m = 4096
void diagonal_matmul(int n, int m, float d[n], float b[n][m], float c[n][m]) {
  __requires("D: int -> float, B: int * int -> float");
  __reads("d ~> Matrix1(n, D), b ~> Matrix2(n, m, B)");
  __writes("c ~> Matrix2(n, m, fun i j -> Sum(k in 0..n, (i == k ? D(i) : 0.0f) * B(k, j)))");
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) {
      c[i][j] = d[i] * b[i][j];
    }
  }
}
