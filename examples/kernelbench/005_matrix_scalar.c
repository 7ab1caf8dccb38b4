#include <optigpu.h>

// c = s a; 65536 x 16384 elements, s = 3.14
void matrix_scalar(int n, float s, float a[n], float c[n]) {
  __requires("A: int -> float");
  __reads("a ~> Matrix1(n, A)");
  __writes("c ~> Matrix1(n, fun i -> s * A(i))");
  for (int i = 0; i < n; i++) {
    c[i] = s * a[i];
  }
}
