// A backslash at the end of a line joins two characters to one operator.
// expect: VERIFIED
// mutate: "- \\\n" -> "-\\\n" => REJECTED[OG002] \

#include <optigpu.h>
int f(int x) {
  __ensures("_Res == x");
  return - \
-x;
}
