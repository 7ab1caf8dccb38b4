// A macro is replaced as a text, so it needs parentheses.
// expect: VERIFIED
// mutate: "((1) + (2))" -> "(1) + (2)" => REJECTED[OG007] 1) + (2

#include <optigpu.h>
#define N ((1) + (2))
int f() {
  __ensures("_Res == 6");
  return N * 2;
}
