// A pragma ends with its line.
// expect: VERIFIED
// A backslash with blanks behind it continues the line for some compilers.
// mutate: "unroll 3" -> "unroll \\ " => REJECTED[OG002] \
// A comment begins in the pragma and ends in a later line.
// mutate: "unroll 3" -> "unroll /*" => REJECTED[OG012] #pragma unroll /*

#include <optigpu.h>
int f(int x) {
  __ensures("_Res == 3");
  int r = 0;
#pragma unroll 3
  for (int i = 0; i < 3; i++) r += 1; // */
  return r;
}
