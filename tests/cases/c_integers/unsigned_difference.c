// A difference of unsigned numbers that wraps around, in a condition.
// expect: VERIFIED
// mutate: "u == 1" -> "u == 0" => REFUTED[OG307] _Res == 0

#include <optigpu.h>
int f(unsigned u) {
  __requires("u == 1");
  __ensures("_Res == 0");
  int r = 0;
  if (u - 1 > 0) r = 1;
  return r;
}
