#include <optigpu.h>

void scaled_sum(int n, half s, half a[n], half b[n], half c[n]) {
  __requires("A: int -> float, B: int -> float");
  __reads("a ~> Matrix1(n, A), b ~> Matrix1(n, B)");
  __writes("c ~> Matrix1(n, fun i -> s * A(i) + B(i))");
  for (int i = 0; i < n; i++) {
    c[i] = s * a[i] + b[i];
  }
}
