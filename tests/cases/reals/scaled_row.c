// Attention's row with a scaled exponent; a clause about an integer and a float says of the integer what safety needs.
// expect: VERIFIED
// mutate: "0 < n && 0 < c" -> "0 < c" => UNPROVED[OG361] Sum(j in 0..n, exp(c * X(j)) * V(j)) / Sum(
// mutate: "o = o * expf(c * (m - m2))" -> "o = o * expf(m - m2)" => REFUTED[OG305] out ~> Matrix1(
#include <optigpu.h>
void row(int n, float c, float x[n], float v[n], float out[1]) {
  __requires("X: int -> float, V: int -> float");
  __requires("0 < n && 0 < c");
  __reads("x ~> Matrix1(n, X)");
  __reads("v ~> Matrix1(n, V)");
  __writes("out ~> Matrix1(1, fun z -> Sum(j in 0..n, exp(c * X(j)) * V(j)) / Sum(j in 0..n, exp(c * X(j))))");
  float m = x[0];
  float t = 0.f;
  float o = 0.f;
  for (int j = 0; j < n; j++) {
    float m2 = fmaxf(m, x[j]);
    t = t * expf(c * (m - m2)) + expf(c * (x[j] - m2));
    o = o * expf(c * (m - m2)) + expf(c * (x[j] - m2)) * v[j];
    m = m2;
  }
  out[0] = o / t;
}
