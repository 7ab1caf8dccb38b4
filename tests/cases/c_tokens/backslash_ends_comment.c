// A backslash at the end of a line joins two characters that end a comment.
// expect: VERIFIED
// mutate: "* \\\n" -> "*\\\n", "2; */" -> "2; /* */" => REJECTED[OG002] \

#include <optigpu.h>
int f(int x) {
  __ensures("_Res == 1");
  int r = 1; /* * \
/ r = 2; */
  return r;
}
