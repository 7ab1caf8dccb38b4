#include <optigpu.h>
void f(int n, int m, float a[n][m], float y[n]) {
  __requires("A: int * int -> float, Max(n, m) > 0");
  __reads("a ~> Matrix2(n, m, A)");
  __writes("y ~> Matrix1(n, fun i -> Sum(k in 0..m, A(i,k)))");
  for (int i = 0; i < n; i++) {
    float s = 0;
    for (int k = 0; k < m; k++) s += a[i][k];
    y[i] = s;
  }
}
