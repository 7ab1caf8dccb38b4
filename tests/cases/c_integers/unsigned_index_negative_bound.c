// An unsigned index compared with a negative bound.
// expect: VERIFIED
// mutate: "n == 0" -> "n == -1" => REFUTED[OG313] n; i++) r = 1;

#include <optigpu.h>
int f(int n) {
  __requires("n == 0");
  __ensures("_Res == 0");
  int r = 0;
  for (unsigned i = 0; i < n; i++) r = 1;
  return r;
}
