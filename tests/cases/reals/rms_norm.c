// Root mean square normalisation: rsqrt is 1 / sqrt.
// expect: VERIFIED
// also: replay, annotated
// mutate: "0 < eps" -> "0 <= eps" => UNPROVED[OG361] X(i, j) / sqrt(
// mutate: "s += x[i][j] * x[i][j];" -> "s += x[i][j] * x[i][0];" => REFUTED[OG333] rsqrtf(s / D + eps)
#include <optigpu.h>
void rms(int R, int D, float eps, float x[R][D], float y[R][D]) {
  __requires("X: int * int -> float");
  __requires("0 < D");
  __requires("0 < eps");
  __reads("x ~> Matrix2(R, D, X)");
  __writes("y ~> Matrix2(R, D, fun i j -> X(i, j) / sqrt(Sum(k in 0..D, X(i, k) * X(i, k)) / D + eps))");
  for (int i = 0; i < R; i++) {
    float s = 0.f;
    for (int j = 0; j < D; j++)
      s += x[i][j] * x[i][j];
    float r = rsqrtf(s / D + eps);
    for (int j = 0; j < D; j++)
      y[i][j] = x[i][j] * r;
  }
}
