// The start of a loop is computed before its index is declared, but C reads the new variable.
// expect: VERIFIED
// mutate: "j" -> "x" (3 times) => REJECTED[OG101] x; x < 8; x++) r += 1;

#include <optigpu.h>
int f(int x) {
  __requires("x == 0");
  __ensures("_Res == 8");
  int r = 0;
  for (int j = x; j < 8; j++) r += 1;
  return r;
}
