// An escape sequence in a formula is a blank and not a letter.
// expect: VERIFIED
// mutate: "return x" -> "return xn", "x \\n" -> "x\\n" => REFUTED[OG307] _Res == x

#include <optigpu.h>
int f(int x, int xn) {
  __ensures("_Res == x \n");
  return x;
}
