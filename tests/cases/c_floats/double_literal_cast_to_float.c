// A double literal below the smallest float, cast to float.
// expect: VERIFIED
// mutate: "1.4e-45" -> "7e-46" => REJECTED[OG103] 7e-46

#include <optigpu.h>
int f(int x) {
  __ensures("_Res == 1");
  const float y = (float)1.4e-45;
  return y > 0 && y - y == 0 ? 1 : 0;
}
