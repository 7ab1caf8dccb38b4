#include <optigpu.h>

// numbers of 16 bits in memory, added as floats
void vector_add_half(int n, half a[n], half b[n], half c[n]) {
  __requires("A: int -> float, B: int -> float");
  __reads("a ~> Matrix1(n, A), b ~> Matrix1(n, B)");
  __writes("c ~> Matrix1(n, fun i -> A(i) + B(i))");
  for (int i = 0; i < n; i++) {
    c[i] = a[i] + b[i];
  }
}
