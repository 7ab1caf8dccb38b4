// Chan's combination of the means and variances of parts.
// expect: VERIFIED
// mutate: "m2 += qb + delta * delta * na * n / nab;" -> "m2 += qb + delta * delta * na / nab;" => REFUTED[OG305] out ~> Matrix1(
#include <optigpu.h>
void variance(int nb, int n, float x[nb][n], float out[1]) {
  __requires("X: int * int -> float");
  __requires("0 < n && 0 < nb");
  __reads("x ~> Matrix2(nb, n, X)");
  __writes("out ~> Matrix1(1, fun z -> Sum(b in 0..nb, k in 0..n, pow(X(b, k) - Sum(c in 0..nb, l in 0..n, X(c, l)) / (nb * n), 2)) / (nb * n))");
  float mean = 0.f;
  float m2 = 0.f;
  for (int b = 0; b < nb; b++) {
    float s = 0.f;
    for (int i = 0; i < n; i++)
      s += x[b][i];
    float mb = s / n;
    float qb = 0.f;
    for (int i = 0; i < n; i++)
      qb += (x[b][i] - mb) * (x[b][i] - mb);
    float delta = mb - mean;
    float na = b * n;
    float nab = na + n;
    mean += delta * n / nab;
    m2 += qb + delta * delta * na * n / nab;
  }
  out[0] = m2 / (nb * n);
}
