// A remainder by zero has no value in a contract.
// expect: VERIFIED
// options: integers=unbounded
// mutate: "y != 0" -> "y >= 0" => UNPROVED[OG361] x % y");

#include <optigpu.h>
int f(int x, int y) {
  __requires("y != 0");
  __ensures("_Res == x % y");
  return y == 0 ? x : x % y;
}
