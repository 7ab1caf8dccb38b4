// Maxima of parts, some of which may be empty: the maximum of all is a number, and so is that of the first part.
// expect: VERIFIED
// mutate: "t < 1 ?" -> "t < 2 ?" => UNPROVED[OG337] m[t] - best
// mutate: "n > 0" -> "n >= 0" => UNPROVED[OG337] m[t] - best
// mutate: "j = t; j < n; j += 4" -> "j = t + 1; j < n; j += 4" => UNPROVED[OG337] m[t] - best
// mutate: "n > 0" -> "n > 3", "t < 1 ?" -> "t < 4 ?" => VERIFIED

#include <optigpu.h>
void parts(int n, float x[n], float y[4]) {
  __requires("X: int -> float, n > 0");
  __reads("x ~> Matrix1(n, X)");
  __writes("y ~> Cells1(4)");
  float m[4];
  float best = -INFINITY;
  for (int t = 0; t < 4; t++) {
    m[t] = -INFINITY;
    for (int j = t; j < n; j += 4) {
      m[t] = fmaxf(m[t], x[j]);
    }
    best = fmaxf(best, m[t]);
  }
  for (int t = 0; t < 4; t++) {
    y[t] = t < 1 ? expf(m[t] - best) : 0.0f;
  }
}
