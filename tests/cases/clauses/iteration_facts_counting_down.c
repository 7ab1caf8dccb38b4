// `__xrequires` holds before the loop for all iterations, `__xensures` after it, for a loop that counts down.
// expect: VERIFIED
// run: clean
// mutate: "xrequires(\"A(i) >= 0\")" -> "xrequires(\"A(i) >= 1\")" => REFUTED[OG000] zzz
//   run: OG000 zzz
// mutate: "xrequires(\"A(i) >= 0\")" -> "xrequires(\"A(i) >= 0, i < 3\")" => REFUTED[OG000] zzz
//   run: OG000 zzz
// mutate: "xensures(\"2 * A(i) >= A(i)\")" -> "xensures(\"2 * A(i) > A(i)\")" => REFUTED[OG000] zzz
//   run: OG000 zzz
// mutate: "xensures(\"2 * A(i) >= A(i)\")" -> "xensures(\"i < 3\")" => REFUTED[OG000] zzz
//   run: OG000 zzz
// mutate: "forall i in 0..n -> A(i) >= 0" -> "forall i in 1..n -> A(i) >= 0" => REFUTED[OG000] zzz
//   run: OG000 zzz

#include <optigpu.h>
void f(int n, float a[n], float w[n]) {
  __requires("A: int -> float");
  __reads("a ~> Matrix1(n, A)");
  __requires("forall i in 0..n -> A(i) >= 0");
  __writes("w ~> Matrix1(n, fun i -> 2 * A(i))");
  __ensures("forall i in 0..n -> 2 * A(i) >= A(i)");
  for (int i = n - 1; i >= 0; i -= 1) {
    __xrequires("A(i) >= 0");
    __xensures("2 * A(i) >= A(i)");
    w[i] = a[i] + a[i];
  }
}
