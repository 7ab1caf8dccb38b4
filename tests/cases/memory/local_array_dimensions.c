// A local array has at least one element in each dimension.
// expect: VERIFIED
// mutate: "[n]" -> "[n - 1]" => UNPROVED[OG334] int t

#include <optigpu.h>
int f(int n, int x) {
  __requires("n > 0");
  __ensures("_Res == x");
  int t[3][n];
  return x;
}
