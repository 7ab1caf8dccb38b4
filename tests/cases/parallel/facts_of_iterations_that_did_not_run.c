// A fact that an iteration learns from having got memory is not known in another one, which may run before it or although it failed.
// expect: UNPROVED[OG321] n <= 35184372088832 + B(i - 1)

#include <optigpu.h>
void f(int64_t n, int b[2], float a[2]) {
  __requires("B: int -> int, n >= 0, forall k in 0..2 -> B(k) == 0");
  __reads("b ~> Matrix1(2, B)");
  __writes("a ~> Matrix1(2, fun i -> 1)");
  #pragma omp parallel for
  for (int i = 0; i < 2; i++) {
    __xensures("n <= 35184372088832 + B(i)");
    __xwrites("&a[i] ~~> 1");
    a[i] = 1.0f;
    if (i > 0) {
      __ASSERT("n <= 35184372088832 + B(i - 1)");
      if (n > 35184372088832) a[6] = 5.0f;
    }
    float* const p = MALLOC1(float, n);
    __ASSERT("B(i) == 0");
    free(p);
  }
}
