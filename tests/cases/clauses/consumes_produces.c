// `__consumes` takes cells from the caller, `__produces` gives cells back, with their contents.
// expect: VERIFIED
// run: clean
// mutate: "produces(\"a ~> Matrix1(n, fun i -> A(i) + 1)\")" -> "produces(\"a ~> Matrix1(n, A)\")"
//   => REFUTED[OG305] 2nd a ~> Matrix1(n, A)");
//   run: OG212 2nd a ~> Matrix1(n, A)");
// mutate: "a[i] + 1" -> "a[i] + 2" => REFUTED[OG305] a ~> Matrix1(n, fun i -> A(i) + 1)
//   run: OG212 a ~> Matrix1(n, fun i -> A(i) + 1)
// mutate: "consumes(\"a ~> Matrix1(n, A)\")" -> "consumes(\"a ~> UninitMatrix1(n)\")" => REFUTED[OG304] a[i] + 1;
//   run: OG202 a[i] + 1;
// mutate: "consumes(\"a ~> Matrix1(n, A)\")" -> "consumes(\"a ~> Matrix1(n - 1, A)\")" => UNPROVED[OG361] A(i)
//   run: OG215 a[i] + 1;
// mutate: "produces(\"a ~> Matrix1(n, fun i -> A(i) + 1)\")" -> "produces(\"a ~> Matrix1(n - 1, fun i -> A(i) + 1)\")"
//   => REFUTED[OG308] a ~> Matrix1(n - 1, fun i -> A(i) + 1)
//   run: OG205 increment

#include <optigpu.h>
void increment(int n, float a[n]) {
  __requires("A: int -> float, n >= 1");
  __consumes("a ~> Matrix1(n, A)");
  __produces("a ~> Matrix1(n, fun i -> A(i) + 1)");
  for (int i = 0; i < n; i++) {
    a[i] = a[i] + 1;
  }
}
