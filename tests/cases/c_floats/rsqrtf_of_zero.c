// rsqrtf of zero is infinite.
// expect: VERIFIED
// mutate: "x == 2" -> "x == 0" => REFUTED[OG333] rsqrtf(x)

#include <optigpu.h>
int f(float x) {
  __requires("x == 2");
  __ensures("_Res == 1");
  const float y = rsqrtf(x);
  return y - y == 0.0f ? 1 : 0;
}
