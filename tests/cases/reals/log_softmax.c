// The logarithm of softmax: log(exp(x - m) / s) is x - m - log(s).
// expect: VERIFIED
// also: replay, annotated
// mutate: "x[i][j] - m - l;" -> "x[i][j] - l;" => REFUTED[OG305] y ~> Matrix2(
// mutate: "log(exp(X(i, j)) / Sum" -> "log(X(i, j) / Sum" => UNPROVED[OG361] log(
#include <optigpu.h>
void logsoftmax(int R, int D, float x[R][D], float y[R][D]) {
  __requires("X: int * int -> float");
  __requires("0 < D");
  __reads("x ~> Matrix2(R, D, X)");
  __writes("y ~> Matrix2(R, D, fun i j -> log(exp(X(i, j)) / Sum(k in 0..D, exp(X(i, k)))))");
  for (int i = 0; i < R; i++) {
    float m = x[i][0];
    for (int j = 1; j < D; j++)
      m = fmaxf(m, x[i][j]);
    float s = 0.f;
    for (int j = 0; j < D; j++)
      s += expf(x[i][j] - m);
    float l = logf(s);
    for (int j = 0; j < D; j++)
      y[i][j] = x[i][j] - m - l;
  }
}
