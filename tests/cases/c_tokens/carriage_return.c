// A carriage return ends a line.
// expect: VERIFIED
// mutate: "one;" -> "one;\r" => REJECTED[OG002] "\r r = 1;"

#include <optigpu.h>
int f(int x) {
  __ensures("_Res == 0");
  int r = 0; //
  r = 0; // one; r = 1;
  return r;
}
