// A formula does not wrap around.
// expect: VERIFIED
// mutate: "== -1" -> "== 1u - 2" => REJECTED[OG103] 1u

#include <optigpu.h>
int f(int x) {
  __ensures("_Res == -1");
  return -1;
}
