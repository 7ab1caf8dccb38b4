// `__preserves` leaves what it found, `__writes` fills cells, `__reads` only reads them.
// expect: VERIFIED
// run: clean
// mutate: "p[0] = p[0]" -> "p[0] = p[0] + 1" => REFUTED[OG305] &p[0] ~~> P
//   run: OG212 &p[0] ~~> P
// mutate: "w[i] = r[i]" -> "w[i] = w[i] + r[i]" => REFUTED[OG304] w[i] + r[i];
//   run: OG202 w[i] + r[i];
// mutate: "w[i] = r[i]" -> "if (i > 0) w[i] = r[i]" => REFUTED[OG306] w ~> Matrix1(n, R)
//   run: OG212 w ~> Matrix1(n, R)
// mutate: "w[i] = r[i]" -> "r[i] = w[i]" => REFUTED[OG303] r[i] = w[i];
//   run: OG202 w[i]
// mutate: "writes(\"w ~> Matrix1(n, R)\")" -> "writes(\"w ~> Matrix1(n, fun i -> R(i) + 1)\")"
//   => REFUTED[OG305] w ~> Matrix1(n, fun i -> R(i) + 1)
//   run: OG212 w ~> Matrix1(n, fun i -> R(i) + 1)
// mutate: "reads(\"r ~> Matrix1(n, R)\")" -> "reads(\"r ~> UninitMatrix1(n)\")", "Matrix1(n, R)" -> "Cells1(n)"
//   => REFUTED[OG304] r[i]
//   run: OG202 r[i]

#include <optigpu.h>
void f(int n, float p[1], float w[n], float r[n]) {
  __requires("P: float, R: int -> float");
  __preserves("&p[0] ~~> P");
  __writes("w ~> Matrix1(n, R)");
  __reads("r ~> Matrix1(n, R)");
  p[0] = p[0];
  for (int i = 0; i < n; i++) {
    w[i] = r[i];
  }
}
