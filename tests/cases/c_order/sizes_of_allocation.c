// Sizes of an allocation are evaluated in any order.
// expect: VERIFIED
// options: integers=unbounded
// mutate: "  const int x = next(p);\n  const int y = next(p);\n" -> "", "x, y)" -> "next(p), next(p))"
//   => REJECTED[OG116] next(p), next(p));

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
  int* const t = MALLOC2(int, x, y);
  free(t);
}
