// An allocation may have no element, but not fewer.
// expect: VERIFIED
// mutate: "n >= 0" -> "n >= -1" => REFUTED[OG314] int* const t = MALLOC1(int, n)

#include <optigpu.h>
int f(int n, int x) {
  __requires("n >= 0");
  __ensures("_Res == x");
  int* const t = MALLOC1(int, n);
  free(t);
  return x;
}
