// The longest operator is read: `v--` is a decrement.
// expect: VERIFIED
// options: integers=unbounded
// mutate: "v - - - 1" -> "v-- - 1" => REJECTED[OG010] --

#include <optigpu.h>
int f(int x) {
  __ensures("_Res == x - 1");
  int v = x;
  return (v - - - 1);
}
