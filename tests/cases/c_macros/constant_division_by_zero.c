// A constant that divides by zero.
// expect: VERIFIED
// mutate: "/ 2" -> "/ 0" => UNSUPPORTED[OG300] 1 / 0

#include <optigpu.h>
#define N (1 / 2)
int f() {
  __ensures("_Res == 0");
  return N * 0;
}
