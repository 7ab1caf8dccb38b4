// A local array has at least one element.
// expect: VERIFIED
// mutate: "n > 0" -> "n >= 0" => UNPROVED[OG334] int t

#include <optigpu.h>
int f(int n, int x) {
  __requires("n > 0");
  __ensures("_Res == x");
  int t[n][3];
  return x;
}
