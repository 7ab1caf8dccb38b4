// A size in a permission is not the variable that the formula binds.
// expect: VERIFIED
// mutate: "v in" -> "w in" => REJECTED[OG111] a ~> Matrix2(H, w + 5, A)

#include <optigpu.h>
float f(int H, int w, float* a) {
  __requires("A: int * int -> float, H == 4, w == 7");
  __reads("for v in 0..1 -> a ~> Matrix2(H, w + 5, A)");
  __ensures("_Res == A(1, 1)");
  return a[MINDEX2(H, w + 5, 1, 1)];
}
