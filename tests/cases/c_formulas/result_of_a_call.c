// The result of a called function is not another variable.
// expect: VERIFIED
// mutate: "3 + 0" -> "7" => REFUTED[OG305] &a[0] ~~> 7
// mutate: "v: int" -> "_Res: int" => REJECTED[OG101] _Res: int
// mutate: "~~> v" -> "~~> _Res" => REJECTED[OG110] _Res"); __ensures("_Res == 7"); return 7; }

#include <optigpu.h>
int g(int x, int a[1]) { __requires("v: int"); __preserves("&a[0] ~~> v"); __ensures("_Res == 7"); return 7; }
int f(int a[1]) {
  __consumes("&a[0] ~~> 3");
  __produces("&a[0] ~~> 3 + 0");
  const int x = g(3, a);
  return x;
}
