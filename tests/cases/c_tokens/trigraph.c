// A trigraph may be a backslash.
// expect: VERIFIED
// mutate: "// ??" -> "// ??/" => REJECTED[OG002] ??/

#include <optigpu.h>
int f(int x) {
  __ensures("_Res == 1");
  int r = 0; // ??
  r = 1;
  return r;
}
