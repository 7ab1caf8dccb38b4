#include <optigpu.h>

// c = a b for symmetric matrices; n = 4096
void symmetric_matmul(int n, float a[n][n], float b[n][n], float c[n][n]) {
  __requires("A: int * int -> float, B: int * int -> float");
  __requires("symmetric: forall i in 0..n -> forall j in 0..n -> A(i, j) =. A(j, i) && B(i, j) =. B(j, i)");
  __reads("a ~> Matrix2(n, n, A), b ~> Matrix2(n, n, B)");
  __writes("c ~> Matrix2(n, n, fun i j -> Sum(k in 0..n, A(i, k) * B(k, j)))");
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      float sum = 0.0f;
      for (int k = 0; k < n; k++) {
        sum += a[k][i] * b[k][j];
      }
      c[i][j] = sum;
    }
  }
}
