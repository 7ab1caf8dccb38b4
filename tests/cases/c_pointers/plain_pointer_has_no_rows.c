// A plain pointer has no rows.
// expect: VERIFIED
// mutate: "int p[2][2]" -> "int* p" => REJECTED[OG106] p[1]

#include <optigpu.h>
int g(int r[2]) {
  __requires("v: int");
  __reads("&r[0] ~~> v");
  __ensures("_Res == v");
  return r[0];
}
int f(int p[2][2]) {
  __requires("A: int * int -> int");
  __reads("p ~> Matrix2(2, 2, A)");
  __ensures("_Res == A(1, 0)");
  return g(p[1]);
}
