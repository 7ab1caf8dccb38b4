// A loop of one iteration leaves the other cells as they were.
// expect: VERIFIED
// mutate: "A(i))" -> "i == 3 ? 4 : A(i))" => REFUTED[OG305] a ~> Matrix1(5, fun i -> i == 2 ? 1 : i == 3 ? 4 : A(i))

#include <optigpu.h>
void f(int a[5]) {
  __requires("A: int -> int");
  __consumes("a ~> Matrix1(5, A)");
  __produces("a ~> Matrix1(5, fun i -> i == 2 ? 1 : A(i))");
  for (int j = 2; j < 3; j++) a[j % 5] = 1;
}
