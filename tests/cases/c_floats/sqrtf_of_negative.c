// sqrtf of a negative number is not a number.
// expect: VERIFIED
// mutate: "x == 2" -> "x == -2" => REFUTED[OG333] sqrtf(x)

#include <optigpu.h>
int f(float x) {
  __requires("x == 2");
  __ensures("_Res == 1");
  const float y = sqrtf(x);
  return y - y == 0.0f ? 1 : 0;
}
