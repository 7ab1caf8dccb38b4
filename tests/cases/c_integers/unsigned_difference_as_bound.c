// A difference of unsigned numbers that wraps around, as a loop bound.
// expect: VERIFIED
// mutate: "u == 1" -> "u == 0" => UNPROVED[OG336] r += 1;

#include <optigpu.h>
int f(unsigned u) {
  __requires("u == 1");
  __ensures("_Res == 0");
  int r = 0;
  for (unsigned i = 0; i < u - 1; i++) r += 1;
  return r;
}
