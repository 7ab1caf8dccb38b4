// A MINDEX2 of an array with rows names a row, whose address is always true.
// expect: VERIFIED
// mutate: "float* a" -> "float a[H][W]" => REJECTED[OG106] a[MINDEX2(H, W, 1, 1)]

#include <optigpu.h>
int f(int H, int W, float* a) {
  __requires("A: int * int -> float, H > 1, W > 1, A(1, 1) == 0");
  __reads("a ~> Matrix2(H, W, A)");
  __ensures("_Res == 0");
  return a[MINDEX2(H, W, 1, 1)] ? 1 : 0;
}
