// A constant that a conversion changes.
// expect: VERIFIED
// mutate: "30" -> "300" (2 times) => UNPROVED[OG307] _Res == 300

#include <optigpu.h>
#define N ((uint8_t)30)
int f() {
  __ensures("_Res == 30");
  return N;
}
