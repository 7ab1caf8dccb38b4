// powf of a negative number with a fraction as exponent is not a number.
// expect: VERIFIED
// mutate: "x == 2" -> "x == -2" => REFUTED[OG333] powf(x, 0.5f)

#include <optigpu.h>
int f(float x) {
  __requires("x == 2");
  __ensures("_Res == 1");
  const float y = powf(x, 0.5f);
  return y - y == 0.0f ? 1 : 0;
}
