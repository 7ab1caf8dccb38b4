// The size of a parameter is computed in the type of its expression.
// expect: VERIFIED
// mutate: "200" -> "300" => UNPROVED[OG313] (uint8_t)w

#include <optigpu.h>
float f(int n, int w, float a[n][(uint8_t)w]) {
  __requires("A: int * int -> float, w == 200, n == 2");
  __reads("a ~> Matrix2(n, w, A)");
  __ensures("_Res == A(1, 100)");
  return a[1][100];
}
