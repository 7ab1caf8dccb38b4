// An assertion does not read a cell whose index a formula binds.
// expect: VERIFIED
// Directly.
// mutate: "p[k]) == 2" -> "p[min(max(i, 0), 1)]) != 1" => UNSUPPORTED[OG300] p[min(max(i, 0), 1)]
// Through another cell.
// mutate: "p[k]) == 2" -> "p[p[min(max(i, 0), 1)]]) != 1" => UNSUPPORTED[OG300] p[p[min(max(i, 0), 1)]]

#include <optigpu.h>
int f(int k, int p[2]) {
  __requires("k == 1");
  __reads("p ~> Matrix1(2, fun i -> i)");
  __ASSERT("Sum(i in 0..2, p[k]) == 2");
  return 0;
}
