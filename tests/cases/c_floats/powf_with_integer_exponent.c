// powf of a negative number needs an integer exponent.
// expect: VERIFIED
// mutate: "3.0f" -> "3.5f" => REFUTED[OG333] powf(-x, 3.5f)

#include <optigpu.h>
int f(float x) {
  __requires("x == 2");
  __ensures("_Res == 1");
  const float y = powf(-x, 3.0f);
  return y - y == 0.0f ? 1 : 0;
}
