// A negative index compared with an unsigned bound.
// expect: VERIFIED
// mutate: "x == 0" -> "x == -1", "_Res == 5" -> "_Res == 6" => REFUTED[OG313] x; i < n; i++) r += 1;

#include <optigpu.h>
int f(int x, unsigned n) {
  __requires("n == 5, x == 0");
  __ensures("_Res == 5");
  int r = 0;
  for (int i = x; i < n; i++) r += 1;
  return r;
}
