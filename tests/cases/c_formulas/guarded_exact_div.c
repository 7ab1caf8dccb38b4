// exact_div under a condition that guarantees divisibility.
// expect: VERIFIED
// mutate: "n % 2 == 0" -> "n % 3 == 0" (2 times) => UNPROVED[OG361] exact_div(n, 2)

#include <optigpu.h>
int f(int n) {
  __requires("n >= 0");
  __ensures("_Res == (n % 2 == 0 ? exact_div(n, 2) : 0)");
  return n % 2 == 0 ? n / 2 : 0;
}
