// A logical variable is not named _Res.
// expect: VERIFIED
// mutate: "Result" -> "_Res" (3 times) => REJECTED[OG101] _Res: int

#include <optigpu.h>
int f(int n, int* p) {
  __requires("Result: int, Result == n");
  __writes("&p[0] ~~> Result");
  p[0] = n;
  return 0;
}
