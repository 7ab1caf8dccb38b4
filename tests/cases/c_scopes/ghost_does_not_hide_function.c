// A ghost function does not replace a function of the same name.
// expect: VERIFIED
// mutate: "_Res == x" -> "_Res == 6", "__GHOST(g)" -> "__GHOST(f)" => REJECTED[OG101] f) {

#include <optigpu.h>
int f(int x) {
  __ensures("_Res == x");
  return x;
}
__GHOST(g) {
  __requires("x: int");
  __ensures("x == x");
  __ASSERT("1 == 1");
}
