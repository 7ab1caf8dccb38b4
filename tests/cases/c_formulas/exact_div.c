// exact_div in a contract must divide.
// expect: VERIFIED
// mutate: ", n % 2 == 0" -> "" => UNPROVED[OG361] exact_div(n, 2)

#include <optigpu.h>
int f(int n) {
  __requires("n >= 0, n % 2 == 0");
  __ensures("_Res == exact_div(n, 2)");
  return n / 2;
}
