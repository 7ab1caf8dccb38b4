// A local variable that shadows a size is another variable.
// expect: VERIFIED
// mutate: "int k" -> "int m" => REJECTED[OG111] m, 1, 1)];

#include <optigpu.h>
float f(int n, int m, float* p) {
  __requires("A: int * int -> float, n > 3, m > 3");
  __reads("p ~> Matrix2(n, m, A)");
  __ensures("_Res == A(1, 1)");
  float r = 0.0f;
  if (n > 0) {
    const int k = 1;
    r = p[MINDEX2(n, m, 1, 1)];
  }
  return r;
}
