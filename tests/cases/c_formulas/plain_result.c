// A function that returns its argument.
// expect: VERIFIED
// A formula contains no C casts.
// mutate: "== x" -> "== (uint8_t)x" => REJECTED[OG103] (uint8_t)x
// C looks for a quoted header beside the program.
// mutate: "<optigpu.h>" -> '"optigpu.h"' => REJECTED[OG007] #include "optigpu.h"
// An escape sequence that is not a blank.
// mutate: "== x" -> "== \\x" => REJECTED[OG002] \x

#include <optigpu.h>
int f(int x) {
  __ensures("_Res == x");
  return x;
}
