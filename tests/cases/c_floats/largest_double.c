// A literal beyond the largest double is infinite.
// expect: VERIFIED
// mutate: "158e308" -> "159e308" => REJECTED[OG006] 1.7976931348623159e308

#include <optigpu.h>
int f(int x) {
  __ensures("_Res == 1");
  const float y = (float)(1.7976931348623158e308 / 1e300);
  return y > 0 && y - y == 0 ? 1 : 0;
}
