// Quantifiers range over all integers, not over those of a C type.
// expect: VERIFIED
// mutate: "n: int)" -> "n: unsigned)" => REJECTED[OG103] unsigned

#include <optigpu.h>
int f(int* p) {
  __requires("F: int -> int, forall (n: int) -> F(n) >= 0");
  __reads("&p[0] ~~> F(-1)");
  __ensures("_Res >= 0");
  return p[0];
}
