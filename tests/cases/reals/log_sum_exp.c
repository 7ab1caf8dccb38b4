// Log-sum-exp with any shift.
// expect: VERIFIED
// mutate: "y[i] = m + logf(s);" -> "y[i] = m - logf(s);" => REFUTED[OG305] y ~> Matrix1(
#include <optigpu.h>
void lse(int N, int C, float x[N][C], float y[N]) {
  __requires("X: int * int -> float");
  __requires("0 < C");
  __reads("x ~> Matrix2(N, C, X)");
  __writes("y ~> Matrix1(N, fun i -> log(Sum(c in 0..C, exp(X(i, c)))))");
  for (int i = 0; i < N; i++) {
    float m = x[i][0];
    for (int c = 1; c < C; c++)
      m = fmaxf(m, x[i][c]);
    float s = 0.f;
    for (int c = 0; c < C; c++)
      s += expf(x[i][c] - m);
    y[i] = m + logf(s);
  }
}
