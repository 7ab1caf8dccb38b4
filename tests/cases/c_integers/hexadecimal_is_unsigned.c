// 0xFFFFFFFF has an unsigned type.
// expect: VERIFIED
// mutate: "0x7" -> "0xF" => REFUTED[OG313] x < 0xFFFFFFFF) r = 1;

#include <optigpu.h>
int f(int x) {
  __requires("x == -1");
  __ensures("_Res == 1");
  int r = 0;
  if (x < 0x7FFFFFFF) r = 1;
  return r;
}
