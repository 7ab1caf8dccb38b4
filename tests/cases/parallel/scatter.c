// Each iteration writes the cell that an array of indices names; no two of them name one cell, as an inverse of the indices shows.
// expect: VERIFIED
// also: replay, annotated
// mutate: "y[p[i]] = x[i];" -> "y[p[0]] = x[i];" => UNPROVED[OG324] y[p[0]] = x[i];
// mutate: "y[p[i]] = x[i];" -> "y[p[i]] = x[0];" => UNPROVED[OG305] y ~> Matrix1(n, fun k -> X(Q(k)))
// mutate: "y[p[i]] = x[i];" -> "y[p[p[i]]] = x[i];" => UNPROVED[OG302] for (int i = 0; i < n; i++)
// mutate: "in_range(P(i), 0..n) && Q(P(i)) == i" -> "in_range(P(i), 0..n)" => UNPROVED[OG324] y[p[i]] = x[i];
// mutate: "in_range(P(i), 0..n) && Q(P(i)) == i" -> "Q(P(i)) == i" => UNPROVED[OG302] y[p[i]] = x[i];
// mutate: "in_range(Q(k), 0..n) && P(Q(k)) == k" -> "in_range(Q(k), 0..n)" => UNPROVED[OG306] y ~> Matrix1(n, fun k -> X(Q(k)))
// mutate: "fun k -> X(Q(k))" -> "fun k -> X(P(k))" => UNPROVED[OG305] y ~> Matrix1(n, fun k -> X(P(k)))

#include <optigpu.h>
void scatter(int n, int p[n], float x[n], float y[n]) {
  __requires("P: int -> int, Q: int -> int, X: int -> float");
  __requires("forall i in 0..n, in_range(P(i), 0..n) && Q(P(i)) == i");
  __requires("forall k in 0..n, in_range(Q(k), 0..n) && P(Q(k)) == k");
  __reads("p ~> Matrix1(n, P), x ~> Matrix1(n, X)");
  __writes("y ~> Matrix1(n, fun k -> X(Q(k)))");
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    y[p[i]] = x[i];
  }
}
