#include <optigpu.h>

// c = a + b
void vector_add(int n, float a[n], float b[n], float c[n]) {
  __requires("A: int -> float, B: int -> float");
  __reads("a ~> Matrix1(n, A), b ~> Matrix1(n, B)");
  __writes("c ~> Matrix1(n, fun i -> A(i) + B(i))");
  for (int i = 0; i < n; i++) {
    c[i] = a[i] + b[i];
  }
}
