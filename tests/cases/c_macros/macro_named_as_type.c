// A macro does not redefine a type.
// expect: VERIFIED
// mutate: "N 1" -> "long 1" => REJECTED[OG001] long 1

#include <optigpu.h>
#define N 1
int f() {
  __ensures("_Res == -1");
  return (int)((long)-1);
}
