// `__xrequires` holds before the loop for all iterations, `__xensures` after it: also in a parallel loop.
// expect: VERIFIED
// run: clean
// mutate: "xrequires(\"A(i) >= 0\")" -> "xrequires(\"A(i) >= 1\")" => REFUTED[OG321] A(i) >= 1
//   run: OG213 A(i) >= 1
// mutate: "xrequires(\"A(i) >= 0\")" -> "xrequires(\"A(i) >= 0, i < 3\")" => REFUTED[OG321] i < 3
//   run: OG213 i < 3
// mutate: "xensures(\"2 * A(i) >= A(i)\")" -> "xensures(\"2 * A(i) > A(i)\")" => REFUTED[OG321] 2 * A(i) > A(i)
//   run: OG213 2 * A(i) > A(i)
// mutate: "xensures(\"2 * A(i) >= A(i)\")" -> "xensures(\"i < 3\")" => REFUTED[OG321] i < 3
//   run: OG213 i < 3
// mutate: "forall i in 0..n -> A(i) >= 0" -> "forall i in 1..n -> A(i) >= 0" => REFUTED[OG321] 2nd A(i) >= 0");
//   run: OG213 2nd A(i) >= 0");

#include <optigpu.h>
void f(int n, float a[n], float w[n]) {
  __requires("A: int -> float");
  __reads("a ~> Matrix1(n, A)");
  __requires("forall i in 0..n -> A(i) >= 0");
  __writes("w ~> Matrix1(n, fun i -> 2 * A(i))");
  __ensures("forall i in 0..n -> 2 * A(i) >= A(i)");
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    __xrequires("A(i) >= 0");
    __xensures("2 * A(i) >= A(i)");
    w[i] = a[i] + a[i];
  }
}
