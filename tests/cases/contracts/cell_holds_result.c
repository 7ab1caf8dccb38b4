// A postcondition on memory may name the result.
// expect: VERIFIED
// mutate: "return x" -> "return x + 1" => REFUTED[OG305] &p[0] ~~> _Res

#include <optigpu.h>
int f(int x, int p[1]) {
  __consumes("&p[0] ~> UninitCell");
  __produces("&p[0] ~~> _Res");
  p[0] = x;
  return x;
}
