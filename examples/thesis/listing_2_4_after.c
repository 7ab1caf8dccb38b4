#include <optigpu.h>

// Listing 2.4, right: after fission, the first loop consumes H0 and produces H1, the second one consumes H1 and produces H2.
void f(float* x) {
  __requires("v: float");
  __consumes("&x[0] ~~> v");
  __produces("&x[0] ~~> 2 * v");

  x[0] = 2.0f * x[0];
}

void g(float* x) {
  __requires("v: float");
  __consumes("&x[0] ~~> v");
  __produces("&x[0] ~~> v + 1");

  x[0] = x[0] + 1.0f;
}

void fg(int N, float a[N]) {
  __requires("A: int -> float");
  __consumes("a ~> Matrix1(N, A)");
  __produces("a ~> Matrix1(N, fun i -> 2 * A(i) + 1)");

  for (int i = 0; i < N; i++) {
    __xconsumes("&a[i] ~~> A(i)");
    __xproduces("&a[i] ~~> 2 * A(i)");
    f(&a[i]);
  }
  for (int i = 0; i < N; i++) {
    __xconsumes("&a[i] ~~> 2 * A(i)");
    __xproduces("&a[i] ~~> 2 * A(i) + 1");
    g(&a[i]);
  }
}
