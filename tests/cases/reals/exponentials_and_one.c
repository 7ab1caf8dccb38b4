// An exponential is on the side of 1 on which its exponent is of 0.
// expect: VERIFIED
// mutate: "x >=. 0.0f" -> "x >=. -0.5f" => REFUTED[OG307] _Res >=. 1.0f
// mutate: "return exp2f(x)" -> "return exp2f(-x)" => REFUTED[OG307] _Res <=. 1.0f
#include <optigpu.h>
float above(float x) {
  __requires("x >=. 0.0f");
  __ensures("_Res >=. 1.0f");
  return expf(x);
}
float below(float x) {
  __requires("x <=. 0.0f");
  __ensures("_Res <=. 1.0f");
  return exp2f(x);
}
