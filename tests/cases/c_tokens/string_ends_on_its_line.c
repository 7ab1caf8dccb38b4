// A string ends on its line.
// expect: VERIFIED
// mutate: '" \n "' -> "\n" => REJECTED[OG002] "1 == 1

#include <optigpu.h>
int f(int x) {
  __ensures("_Res == 5");
  int r = 5;
  __ASSERT("1 == 1" 
 " && r == 5");
  return r;
}
