#include <optigpu.h>

// c = a b for lower triangular matrices; the product is lower triangular. n = 4096
void lower_triangular_matmul(int n, float a[n][n], float b[n][n], float c[n][n]) {
  __requires("A: int * int -> float, B: int * int -> float");
  __requires("triangular: forall i in 0..n -> forall j in 0..n -> i < j ==> A(i, j) =. 0.0f && B(i, j) =. 0.0f");
  __reads("a ~> Matrix2(n, n, A), b ~> Matrix2(n, n, B)");
  __writes("c ~> Matrix2(n, n, fun i j -> Sum(k in 0..n, A(i, k) * B(k, j)))");
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      float sum = 0.0f;
      for (int k = j; k < i + 1; k++) {
        sum += a[i][k] * b[k][j];
      }
      c[i][j] = sum;
    }
  }
}
