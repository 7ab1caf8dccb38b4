#include <optigpu.h>

// c[h] = transposed a[h] * b[h] for each matrix of a batch, in half precision
void batched(int count, int m, int n, int p, half a[count][p][m], half b[count][p][n], half c[count][m][n]) {
  __requires("A: int * int * int -> float, B: int * int * int -> float");
  __reads("a ~> Matrix3(count, p, m, A), b ~> Matrix3(count, p, n, B)");
  __writes("c ~> Matrix3(count, m, n, fun h i j -> Sum(k in 0..p, A(h, k, i) * B(h, k, j)))");
  for (int h = 0; h < count; h++) {
    for (int i = 0; i < m; i++) {
      for (int j = 0; j < n; j++) {
        float sum = 0.0f;
        for (int k = 0; k < p; k++) {
          sum += a[h][k][i] * b[h][k][j];
        }
        c[h][i][j] = sum;
      }
    }
  }
}
