// Softmax in one pass over the row: the scale of the accumulator changes with the maximum.
// expect: VERIFIED
// also: replay, annotated
// mutate: "float m = x[i][0];" -> "float m = -3.0e38f;" => VERIFIED
// mutate: "t = t * expf(m - m2) +" -> "t = t +" => REFUTED[OG305] y ~> Matrix2(
// mutate: "t = t * expf(m - m2) +" -> "t = t * expf(m2 - m) +" => REFUTED[OG318] for (int j = 0; j < D; j++) {
// mutate: "float t = 0.f;" -> "float t = 1.f;" => REFUTED[OG305] y ~> Matrix2(
#include <optigpu.h>
void softmax(int R, int D, float x[R][D], float y[R][D]) {
  __requires("X: int * int -> float");
  __requires("0 < D");
  __reads("x ~> Matrix2(R, D, X)");
  __writes("y ~> Matrix2(R, D, fun i j -> exp(X(i, j)) / Sum(k in 0..D, exp(X(i, k))))");
  for (int i = 0; i < R; i++) {
    float m = x[i][0];
    float t = 0.f;
    for (int j = 0; j < D; j++) {
      float m2 = fmaxf(m, x[i][j]);
      t = t * expf(m - m2) + expf(x[i][j] - m2);
      m = m2;
    }
    for (int j = 0; j < D; j++)
      y[i][j] = expf(x[i][j] - m) / t;
  }
}
