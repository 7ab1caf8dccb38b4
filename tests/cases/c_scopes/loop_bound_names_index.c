// A loop bound that names a parameter is not about an index of that name.
// expect: VERIFIED
// mutate: "j" -> "x" (3 times) => REJECTED[OG101] x + 3

#include <optigpu.h>
int f(int x) {
  __requires("x == 5");
  __ensures("_Res == 8");
  int r = 0;
  for (int j = 0; j < x + 3; j++) r += 1;
  return r;
}
