// Softmax as the textbook writes it: any shift that the code subtracts is right, if numerator and denominator have the same.
// expect: VERIFIED
// also: replay, annotated
// mutate: "m = fmaxf(m, x[i][j]);" -> "m = fminf(m, x[i][j]);" => VERIFIED
// mutate: "y[i][j] = expf(x[i][j] - m) / s;" -> "y[i][j] = expf(x[i][j]) / s;" => REFUTED[OG305] y ~> Matrix2(
// mutate: "0 < D" -> "0 <= D" => REFUTED[OG302] x[i][0]
// mutate: "s += expf(x[i][j] - m);" -> "s += x[i][j] - m;" => REFUTED[OG310] expf(x[i][j] - m) / s
#include <optigpu.h>
void softmax(int R, int D, float x[R][D], float y[R][D]) {
  __requires("X: int * int -> float");
  __requires("0 < D");
  __reads("x ~> Matrix2(R, D, X)");
  __writes("y ~> Matrix2(R, D, fun i j -> exp(X(i, j)) / Sum(k in 0..D, exp(X(i, k))))");
  for (int i = 0; i < R; i++) {
    float m = x[i][0];
    for (int j = 1; j < D; j++)
      m = fmaxf(m, x[i][j]);
    float s = 0.f;
    for (int j = 0; j < D; j++)
      s += expf(x[i][j] - m);
    for (int j = 0; j < D; j++)
      y[i][j] = expf(x[i][j] - m) / s;
  }
}
