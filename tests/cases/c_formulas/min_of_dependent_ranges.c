// A minimum over a range that may be empty.
// expect: VERIFIED
// mutate: "0..1" -> "0..i" => REJECTED[OG110] j in 0..i, A(i, j))");

#include <optigpu.h>
float f(float a[2][2]) {
  __requires("A: int * int -> float");
  __reads("a ~> Matrix2(2, 2, A)");
  __ensures("_Res == Min(i in 0..2, j in 0..1, A(i, j))");
  return fminf(a[0][0], a[1][0]);
}
