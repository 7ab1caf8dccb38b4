// MSIZE has an unsigned type.
// expect: VERIFIED
// mutate: "x == 1" -> "x == -1" => REFUTED[OG313] x < MSIZE1(4)) r = 1;

#include <optigpu.h>
int f(int x) {
  __requires("x == 1");
  __ensures("_Res == 1");
  int r = 0;
  if (x < MSIZE1(4)) r = 1;
  return r;
}
