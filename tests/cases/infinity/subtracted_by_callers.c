// A caller subtracts the greatest element, which a function has found from -INFINITY on; what it passes are numbers, as its own contract
// says, and as the code has copied them.
// expect: VERIFIED
// mutate: "t[j] = x[j];" -> "t[j] = j > 0 ? x[j] : -INFINITY;" => REFUTED[OG337] t[j] - best;
// mutate: "best = greatest(n, t)" -> "best = -INFINITY" => UNPROVED[OG337] best;
// mutate: "return m;" -> "return m + 0.0f;" => VERIFIED
// mutate: "return m;" -> "return m + 0.0f;", "t[j] = x[j];" -> "t[j] = j > 0 ? x[j] : -INFINITY;" => UNSUPPORTED[OG300] 1st t);
// mutate: "return m;" -> "return m + 0.0f;", "t[j] = x[j];" -> "t[j] = 2.0f * x[j];" => REFUTED[OG315] greatest(n, t)

#include <optigpu.h>
float greatest(int n, float a[n]) {
  __requires("A: int -> float, some: n > 0");
  __reads("a ~> Matrix1(n, A)");
  __ensures("_Res == Max(i in 0..n, A(i))");
  float m = -INFINITY;
  for (int i = 0; i < n; i++) {
    m = fmaxf(m, a[i]);
  }
  return m;
}

void caller(int n, float x[n], float y[n]) {
  __requires("X: int -> float, some: n > 0");
  __reads("x ~> Matrix1(n, X)");
  __writes("y ~> Matrix1(n, fun j -> X(j) - Max(i in 0..n, X(i)))");
  float* const t = MALLOC1(float, n);
  for (int j = 0; j < n; j++) {
    t[j] = x[j];
  }
  const float best = greatest(n, t);
  for (int j = 0; j < n; j++) {
    y[j] = t[j] - best;
  }
  free(t);
}
