// A macro does not redefine `true`.
// expect: VERIFIED
// mutate: "N 0" -> "true 0" => REJECTED[OG007] #define true 0

#include <optigpu.h>
#define N 0
int f() {
  __ensures("_Res == 1");
  return true ? 1 : 0;
}
