// Sizes of a local array are evaluated in any order.
// expect: VERIFIED
// options: integers=unbounded
// mutate: "  const int x = next(p);\n  const int y = next(p);\n" -> "", "[x + 1][y]" -> "[next(p) + 1][next(p)]"
//   => REJECTED[OG116] next(p) + 1][next(p)];

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
void f(int p[1]) {
  __consumes("&p[0] ~~> 0");
  __produces("&p[0] ~~> 2");
  const int x = next(p);
  const int y = next(p);
  int t[x + 1][y];
}
