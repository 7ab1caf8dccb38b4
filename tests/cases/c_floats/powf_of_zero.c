// powf of zero with a negative exponent is infinite.
// expect: VERIFIED
// mutate: "x == 2" -> "x == 0" => REFUTED[OG333] powf(x, -1.0f)

#include <optigpu.h>
int f(float x) {
  __requires("x == 2");
  __ensures("_Res == 1");
  const float y = powf(x, -1.0f);
  return y - y == 0.0f ? 1 : 0;
}
