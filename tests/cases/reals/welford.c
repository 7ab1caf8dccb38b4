// Welford's update: the invariants of mean and variance are inferred.
// expect: VERIFIED
// also: replay, annotated
// mutate: "mean += delta / (i + 1);" -> "mean += delta / (i + 2);" => REFUTED[OG305] out ~> Matrix1(
// mutate: "m2 += delta * (x[i] - mean);" -> "m2 += delta * delta;" => REFUTED[OG305] out ~> Matrix1(
// mutate: "float mean = 0.f;" -> "float mean = 1.f;" => VERIFIED
#include <optigpu.h>
void variance(int n, float x[n], float out[1]) {
  __requires("X: int -> float");
  __requires("0 < n");
  __reads("x ~> Matrix1(n, X)");
  __writes("out ~> Matrix1(1, fun z -> Sum(k in 0..n, (X(k) - Sum(l in 0..n, X(l)) / n) * (X(k) - Sum(l in 0..n, X(l)) / n)) / n)");
  float mean = 0.f;
  float m2 = 0.f;
  for (int i = 0; i < n; i++) {
    float delta = x[i] - mean;
    mean += delta / (i + 1);
    m2 += delta * (x[i] - mean);
  }
  out[0] = m2 / n;
}
