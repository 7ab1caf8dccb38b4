// Indices that are all different: iterations have cells of their own, although no inverse is named.
// expect: VERIFIED
// also: replay
// mutate: "i != j" -> "i < j && j > 1" => REFUTED[OG324] y[p[i]] = x[i];
// mutate: "P(i) != P(j)" -> "P(i) != P(j) + 1" => REFUTED[OG324] y[p[i]] = x[i];
// mutate: "i != j -> P(i) != P(j)" -> "i < j -> P(i) < P(j)" => VERIFIED

#include <optigpu.h>
void scatter(int n, int m, int p[n], float x[n], float y[m]) {
  __requires("P: int -> int, X: int -> float");
  __requires("forall i in 0..n, in_range(P(i), 0..m)");
  __requires("forall i j, i != j -> P(i) != P(j)");
  __reads("p ~> Matrix1(n, P), x ~> Matrix1(n, X)");
  __preserves("y ~> Cells1(m)");
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    y[p[i]] = x[i];
  }
}
