// Counting down to an unsigned bound of zero does not end.
// expect: VERIFIED
// mutate: "int n" -> "unsigned n" => REJECTED[OG011] for (int i = 5; i >= n; i--)

#include <optigpu.h>
int f(int n) {
  __requires("n == 0");
  __ensures("_Res == 6");
  int r = 0;
  for (int i = 5; i >= n; i--) r += 1;
  return r;
}
