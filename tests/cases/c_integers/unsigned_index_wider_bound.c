// An unsigned index that counts down to a bound of a wider type.
// expect: VERIFIED
// The loop would end only below zero.
// mutate: "> n" -> ">= n", "== 5" -> "== 6" => REJECTED[OG011] for (unsigned i = 5; i >= n; i -= 1)
// The bound is -1.
// mutate: "n == 0" -> "n == -1", "== 5" -> "== 6" => REFUTED[OG313] n; i -= 1) r += 1;

#include <optigpu.h>
int f(int64_t n) {
  __requires("n == 0");
  __ensures("_Res == 5");
  int r = 0;
  for (unsigned i = 5; i > n; i -= 1) r += 1;
  return r;
}
