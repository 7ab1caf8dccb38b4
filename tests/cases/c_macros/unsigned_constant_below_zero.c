// A constant of unsigned type that would be negative.
// expect: VERIFIED
// mutate: "1 - 2" -> "1u - 2u" => REFUTED[OG313] (int)N

#include <optigpu.h>
#define N (1 - 2)
int f() {
  __ensures("_Res == -1");
  return (int)N;
}
