// A comment that ends in two backslashes is continued.
// expect: VERIFIED
// mutate: "\\ \\ ." -> "\\\\" => REJECTED[OG002] 2nd \

#include <optigpu.h>
int f(int x) {
  __ensures("_Res == 1");
  int r = 0; // \ \ .
  r = 1;
  return r;
}
