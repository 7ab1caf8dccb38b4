// A literal below the smallest float is zero.
// expect: VERIFIED
// mutate: "1.4e-45f" -> "7e-46f" => REJECTED[OG006] 7e-46f

#include <optigpu.h>
int f(int x) {
  __ensures("_Res == 1");
  const float y = 1.4e-45f;
  return y > 0 && y - y == 0 ? 1 : 0;
}
