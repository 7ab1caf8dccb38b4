// Characters that reverse the direction of text are refused.
// expect: VERIFIED
// mutate: "/* one */\n  r = 1;" -> "/* one \u202e; 1 = r */\n  r = 1;" => REJECTED[OG002] "\u202e"

#include <optigpu.h>
int f(int x) {
  __ensures("_Res == 1");
  int r = 0; /* one */
  r = 1;
  return r;
}
