// C computes the sizes of MINDEX2 as it computes all expressions.
// expect: VERIFIED
// In unsigned arithmetic, (u - 5) wraps around.
// mutate: "int u" -> "unsigned u" => REJECTED[OG111] u - 5) / 2 + 10, 1, 0)];
// A division in a size may divide by zero.
// mutate: "/ 2" -> "/ k" (3 times), "u / k > 0" -> "(u - 5) / k + 10 > 0" => REJECTED[OG111] u - 5) / k + 10, 1, 0)];

#include <optigpu.h>
float f(int u, int k, float* a) {
  __requires("A: int * int -> float, u == 2, u / 2 > 0");
  __reads("a ~> Matrix2(2, (u - 5) / 2 + 10, A)");
  __ensures("_Res == A(1, 0)");
  return a[MINDEX2(2, (u - 5) / 2 + 10, 1, 0)];
}
