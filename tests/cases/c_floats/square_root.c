// The square root of a negative number has no value.
// expect: VERIFIED
// mutate: "x >= 0" -> "x >= -1" => REFUTED[OG333] sqrtf(x)

#include <optigpu.h>
float f(float x) {
  __requires("x >= 0");
  __ensures("_Res >= 0");
  return sqrtf(x);
}
