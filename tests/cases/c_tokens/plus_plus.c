// The longest operator is read: `++v` is an increment and not two signs.
// expect: VERIFIED
// mutate: "+ +v" -> "++v" => REJECTED[OG010] ++

#include <optigpu.h>
int f(int x) {
  __ensures("_Res == x");
  int v = x;
  return + +v;
}
