// A shift by the width of int or more.
// expect: VERIFIED
// mutate: "n == 20" -> "n == 33" => REFUTED[OG312] x >> n

#include <optigpu.h>
int f(int x, int n) {
  __requires("x == 1000, n == 20");
  __ensures("_Res == 0");
  return x >> n;
}
