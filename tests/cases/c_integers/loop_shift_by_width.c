// A loop that shifts its index by the width of int or more.
// expect: VERIFIED
// mutate: ">>= 6" -> ">>= 36" => UNPROVED[OG312] 36

#include <optigpu.h>
int f(int x) {
  __ensures("_Res == 1");
  int r = 0;
  for (int i = 16; i > 0; i >>= 6) r += 1;
  return r;
}
