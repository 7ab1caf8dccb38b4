// A maximum over halves that starts at -INFINITY.
// expect: VERIFIED
// run: clean
// mutate: "best = -INFINITY" -> "best = -65504.0f" => UNPROVED[OG307] _Res == Max(i in 0..n, X(i))
// mutate: "fmaxf(best, x[i])" -> "fminf(best, x[i])" => UNPROVED[OG307] _Res == Max(i in 0..n, X(i))

#include <optigpu.h>
half largest(int n, half x[n]) {
  __requires("X: int -> float, n > 0");
  __reads("x ~> Matrix1(n, X)");
  __ensures("_Res == Max(i in 0..n, X(i))");
  half best = -INFINITY;
  for (int i = 0; i < n; i++) best = fmaxf(best, x[i]);
  return best;
}
