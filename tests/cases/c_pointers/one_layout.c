// A plain pointer has one layout.
// expect: VERIFIED
// mutate: "(1, 4, B)" -> "(2, 2, B)", "_Res == A" -> "_Res == B" => REJECTED[OG111] a ~> Matrix2(2, 2, B)

#include <optigpu.h>
float f(float* a) {
  __requires("A: int * int -> float, B: int * int -> float");
  __reads("a ~> Matrix2(2, 4, A), a ~> Matrix2(1, 4, B)");
  __ensures("_Res == A(1, 1)");
  return a[MINDEX2(2, 4, 1, 1)];
}
