// A loop step that names a parameter is not about an index of that name.
// expect: VERIFIED
// mutate: "j" -> "x" (3 times) => REJECTED[OG101] x) r += 1;

#include <optigpu.h>
int f(int x) {
  __requires("x == 1");
  __ensures("_Res == 8");
  int r = 0;
  for (int j = 0; j < 8; j += x) r += 1;
  return r;
}
