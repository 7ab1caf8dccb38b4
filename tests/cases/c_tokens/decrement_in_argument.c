// The longest operator is read in arguments too.
// expect: VERIFIED
// mutate: "- -v" -> "--v" => REJECTED[OG010] --

#include <optigpu.h>
int f(int x) {
  __ensures("_Res == x");
  int v = x;
  return min(- -v, v);
}
