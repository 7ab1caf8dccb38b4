// A contract that claims the cells that an array of indices names, in a larger array.
// expect: VERIFIED
// also: replay
// mutate: "&& Q(P(i)) == i" -> "" => REFUTED[OG323] for i in 0..n -> &y[P(i)] ~~> X(i)
// mutate: "i < n" -> "i < n - 1" => UNPROVED[OG306] for i in 0..n -> &y[P(i)] ~~> X(i)
// mutate: "y[p[i]] = x[i];" -> "y[i] = x[i];" => UNPROVED[OG302] y[i] = x[i];

#include <optigpu.h>
void scatter(int n, int m, int p[n], float x[n], float y[m]) {
  __requires("P: int -> int, Q: int -> int, X: int -> float");
  __requires("forall i in 0..n, in_range(P(i), 0..m) && Q(P(i)) == i");
  __reads("p ~> Matrix1(n, P), x ~> Matrix1(n, X)");
  __writes("for i in 0..n -> &y[P(i)] ~~> X(i)");
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    y[p[i]] = x[i];
  }
}
