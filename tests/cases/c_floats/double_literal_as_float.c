// A double literal beyond the largest float, assigned to a float.
// expect: VERIFIED
// mutate: "3.4028235e38" -> "3.4028236e38" => REJECTED[OG103] 3.4028236e38

#include <optigpu.h>
int f(int x) {
  __ensures("_Res == 1");
  const float y = 3.4028235e38;
  return y > 0 && y - y == 0 ? 1 : 0;
}
