// A backslash at the end of a line joins two characters that begin a comment.
// expect: VERIFIED
// mutate: "/ \\\n" -> "/\\\n" => REJECTED[OG002] \

#include <optigpu.h>
int f(int x) {
  __ensures("_Res == 4");
  int p[1] = {1};
  int r = 4;
  r = 4 / \
*p; // */
  return r;
}
