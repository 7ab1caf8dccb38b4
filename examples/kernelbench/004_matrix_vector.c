#include <optigpu.h>

// y = a x; m = 2048, p = 1048576
void matrix_vector(int m, int p, float a[m][p], float x[p], float y[m]) {
  __requires("A: int * int -> float, X: int -> float");
  __reads("a ~> Matrix2(m, p, A), x ~> Matrix1(p, X)");
  __writes("y ~> Matrix1(m, fun i -> Sum(k in 0..p, A(i, k) * X(k)))");
  for (int i = 0; i < m; i++) {
    float sum = 0.0f;
    for (int k = 0; k < p; k++) {
      sum += a[i][k] * x[k];
    }
    y[i] = sum;
  }
}
