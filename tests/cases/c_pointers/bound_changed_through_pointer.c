// A loop bound that the body changes through another pointer.
// expect: VERIFIED
// mutate: "i < n" -> "i < q[0]" => REJECTED[OG118] q[0]; i++) {

#include <optigpu.h>
int f(int p[4]) {
  __consumes("p ~> Matrix1(4, fun i -> 2)");
  __produces("p ~> Matrix1(4, fun i -> i == 1 ? 0 : 2)");
  __ensures("_Res == 2");
  int* const q = p + 1;
  const int n = q[0];
  int r = 0;
  for (int i = 0; i < n; i++) {
    p[1] = 0;
    r += 1;
  }
  p[1] = 0;
  return r;
}
