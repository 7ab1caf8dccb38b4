// A loop contract does not claim a variable twice.
// expect: VERIFIED
// options: integers=unbounded
// mutate: "&d" -> "&c", "  int d = 0;\n" -> "", "    d += 2;\n" -> "" => REFUTED[OG322] for (int s = 0; s < n; s++)

#include <optigpu.h>
int f(int n) {
  __requires("n >= 0");
  __ensures("_Res == n");
  int c = 0;
  int d = 0;
  for (int s = 0; s < n; s++) {
    __spreserves("&d ~~> 2 * s, &c ~~> s");
    c += 1;
    d += 2;
  }
  return c;
}
