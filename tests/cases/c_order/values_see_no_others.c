// The values of an initialiser list do not see the elements before them.
// expect: VERIFIED
// mutate: "1, x" -> "1, t[0]" => REJECTED[OG101] t[0]};

#include <optigpu.h>
int f(int x) {
  __requires("x == 1");
  __ensures("_Res == 1");
  int t[2] = {1, x};
  return t[1];
}
