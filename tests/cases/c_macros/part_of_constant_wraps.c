// A part of a constant that wraps around.
// expect: VERIFIED
// mutate: "- 1u" -> "+ 1u", "2147483647" -> "2147483648" => REFUTED[OG307] _Res == 2147483648

#include <optigpu.h>
#define N ((4294967295u - 1u) / 2u)
int f() {
  __ensures("_Res == 2147483647");
  return N;
}
