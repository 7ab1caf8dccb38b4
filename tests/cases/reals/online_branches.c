// Softmax in one pass, rescaled only where the maximum changes.
// expect: VERIFIED
// also: replay
// mutate: "t += expf(x[j] - m);" -> "t += expf(m - x[j]);" => REFUTED[OG310] expf(x[j] - m) / t
// mutate: "t = t * expf(m - x[j]) + 1.f;" -> "t = t * expf(m - x[j]) + 2.f;" => REFUTED[OG310] expf(x[j] - m) / t
#include <optigpu.h>
void softmax(int n, float x[n], float y[n]) {
  __requires("X: int -> float");
  __requires("0 < n");
  __reads("x ~> Matrix1(n, X)");
  __writes("y ~> Matrix1(n, fun j -> exp(X(j)) / Sum(k in 0..n, exp(X(k))))");
  float m = -1.0e30f;
  float t = 0.f;
  for (int j = 0; j < n; j++) {
    if (x[j] > m) {
      t = t * expf(m - x[j]) + 1.f;
      m = x[j];
    } else {
      t += expf(x[j] - m);
    }
  }
  for (int j = 0; j < n; j++)
    y[j] = expf(x[j] - m) / t;
}
