// `__consumes` takes cells from the caller, `__produces` gives cells back, with their contents.
// expect: VERIFIED
// run: clean
// mutate: "produces(\"a ~> Matrix1(n, fun i -> A(i) + 1)\")" -> "produces(\"a ~> Matrix1(n, A)\")" => REFUTED[OG000] zzz
//   run: OG000 zzz
// mutate: "a[i] + 1" -> "a[i] + 2" => REFUTED[OG000] zzz
//   run: OG000 zzz
// mutate: "consumes(\"a ~> Matrix1(n, A)\")" -> "consumes(\"a ~> UninitMatrix1(n)\")" => REFUTED[OG000] zzz
//   run: OG000 zzz
// mutate: "consumes(\"a ~> Matrix1(n, A)\")" -> "consumes(\"a ~> Matrix1(n - 1, A)\")" => REFUTED[OG000] zzz
//   run: OG000 zzz
// mutate: "produces(\"a ~> Matrix1(n, fun i -> A(i) + 1)\")" -> "produces(\"a ~> Matrix1(n - 1, fun i -> A(i) + 1)\")" => REFUTED[OG000] zzz
//   run: OG000 zzz

#include <optigpu.h>
void increment(int n, float a[n]) {
  __requires("A: int -> float, n >= 1");
  __consumes("a ~> Matrix1(n, A)");
  __produces("a ~> Matrix1(n, fun i -> A(i) + 1)");
  for (int i = 0; i < n; i++) {
    a[i] = a[i] + 1;
  }
}
