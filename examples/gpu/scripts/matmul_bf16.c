#include <optigpu.h>

// c = a * b in bfloat16, summed up in float
void matmul(int m, int n, int p, bf16 a[m][p], bf16 b[p][n], bf16 c[m][n]) {
  __requires("A: int * int -> float, B: int * int -> float");
  __reads("a ~> Matrix2(m, p, A), b ~> Matrix2(p, n, B)");
  __writes("c ~> Matrix2(m, n, fun i j -> Sum(k in 0..p, A(i, k) * B(k, j)))");
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < n; j++) {
      float sum = 0.0f;
      for (int k = 0; k < p; k++) {
        sum += a[i][k] * b[k][j];
      }
      c[i][j] = sum;
    }
  }
}
