// A literal beyond the largest float is infinite.
// expect: VERIFIED
// mutate: "3.4028235e38f" -> "3.4028236e38f" => REJECTED[OG006] 3.4028236e38f

#include <optigpu.h>
int f(int x) {
  __ensures("_Res == 1");
  const float y = 3.4028235e38f;
  return y > 0 && y - y == 0 ? 1 : 0;
}
