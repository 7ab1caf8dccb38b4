// Variables have no addresses.
// expect: VERIFIED
// mutate: "x[1] = {0}" -> "x = 0", "x[0]" -> "x" (2 times) => REJECTED[OG106] &x

#include <optigpu.h>
void set(int* p) {
  __writes("p ~~> 5");
  *p = 5;
}
int f() {
  __ensures("_Res == 5");
  int x[1] = {0};
  set(&x[0]);
  return x[0];
}
