// A constant that is shifted by more than the width of its type.
// expect: VERIFIED
// mutate: "20" -> "40" => UNSUPPORTED[OG300] 1 << 40

#include <optigpu.h>
#define N (1 << 20)
int f() {
  __ensures("_Res == 0");
  return N * 0;
}
