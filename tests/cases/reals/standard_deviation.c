// The standard deviation by Welford's update, without bias.
// expect: VERIFIED
// mutate: "1 < n" -> "0 < n" => UNPROVED[OG361] Sum(k in 0..n, pow(
#include <optigpu.h>
void stddev(int n, float x[n], float out[1]) {
  __requires("X: int -> float");
  __requires("1 < n");
  __reads("x ~> Matrix1(n, X)");
  __writes("out ~> Matrix1(1, fun z -> sqrt(Sum(k in 0..n, pow(X(k) - Sum(l in 0..n, X(l)) / n, 2)) / (n - 1)))");
  float mean = 0.f;
  float m2 = 0.f;
  for (int i = 0; i < n; i++) {
    float old = mean;
    mean = mean + (x[i] - mean) / (float)(i + 1);
    m2 = m2 + (x[i] - old) * (x[i] - mean);
  }
  out[0] = sqrtf(m2 / (n - 1));
}
