// The values of an initialiser list are evaluated in any order.
// expect: VERIFIED
// options: integers=unbounded
// mutate: "{x, y}" -> "{next(p), next(p)}", "~~> 2" -> "~~> 4", "== 1" -> "== 3" => REJECTED[OG116] next(p), next(p)};

#include <optigpu.h>
int next(int p[1]) {
  __requires("v: int");
  __consumes("&p[0] ~~> v");
  __produces("&p[0] ~~> v + 1");
  __ensures("_Res == v");
  const int r = p[0];
  p[0] = r + 1;
  return r;
}
int f(int p[1]) {
  __consumes("&p[0] ~~> 0");
  __produces("&p[0] ~~> 2");
  __ensures("_Res == 1");
  const int x = next(p), y = next(p);
  int t[2] = {x, y};
  return t[1];
}
