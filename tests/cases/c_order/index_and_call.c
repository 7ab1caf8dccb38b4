// The order in which an index and a call that changes it are evaluated is open in C.
// expect: VERIFIED
// mutate: "a[q[0]]" -> "a[p[0]]" => REJECTED[OG116] p[0]] = next(p);

#include <optigpu.h>
int next(int p[1]) {
  __consumes("&p[0] ~~> 0");
  __produces("&p[0] ~~> 1");
  __ensures("_Res == 7");
  p[0] = 1;
  return 7;
}
void f(int a[2], int p[1], int q[1]) {
  __writes("&a[0] ~~> 0, &a[1] ~~> 7");
  __reads("&q[0] ~~> 1");
  __consumes("&p[0] ~~> 0");
  __produces("&p[0] ~~> 1");
  a[0] = 0;
  a[1] = 0;
  a[q[0]] = next(p);
}
