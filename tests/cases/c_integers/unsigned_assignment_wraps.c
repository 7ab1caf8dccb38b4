// An assignment to an unsigned variable that wraps around.
// expect: VERIFIED
// mutate: "u == 6" -> "u == 4" => REFUTED[OG307] _Res == 1

#include <optigpu.h>
int f(unsigned u) {
  __requires("u == 6");
  __ensures("_Res == 1");
  unsigned v = u;
  v -= 5;
  return v < 5 ? 1 : 0;
}
