// An unsigned index that steps over zero.
// expect: VERIFIED
// mutate: "-= 1" -> "-= 2", "== 5" -> "== 3" => REJECTED[OG011] for (unsigned i = 5; i > n; i -= 2)

#include <optigpu.h>
int f(int n) {
  __requires("n == 0");
  __ensures("_Res == 5");
  int r = 0;
  for (unsigned i = 5; i > n; i -= 1) r += 1;
  return r;
}
