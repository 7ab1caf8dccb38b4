// A logical variable does not redefine min.
// expect: VERIFIED
// mutate: "least" -> "min" (3 times) => REJECTED[OG101] min: int * int -> int

#include <optigpu.h>
int f(int x) {
  __requires("least: int * int -> int, forall (a: int) (b: int) -> least(a, b) == 7");
  __ensures("_Res == least(x, 3)");
  return 7;
}
