// Layer normalisation in two passes: the variance is not negative, so the root exists and is positive.
// expect: VERIFIED
// also: replay, annotated
// mutate: "0 < eps" -> "eps != 0" => UNPROVED[OG361] sqrt(
// mutate: "var += (x[i][j] - mean) * (x[i][j] - mean);" -> "var += (x[i][j] - mean) * x[i][0];" => REFUTED[OG305] y ~> Matrix2(
// mutate: "var += (x[i][j] - mean) * (x[i][j] - mean);" -> "var += (x[i][j] - mean) * x[0][j];" => REFUTED[OG333] sqrtf(var + eps)
// mutate: "float s = sqrtf(var + eps);" -> "float s = sqrtf(var - eps);" => REFUTED[OG333] sqrtf(var - eps)
// mutate: "var /= D;\n    float s" -> "float s" => REFUTED[OG305] y ~> Matrix2(
#include <optigpu.h>
void layernorm(int R, int D, float eps, float x[R][D], float g[D], float b[D], float y[R][D]) {
  __requires("X: int * int -> float, G: int -> float, B: int -> float");
  __requires("0 < D");
  __requires("0 < eps");
  __reads("x ~> Matrix2(R, D, X)");
  __reads("g ~> Matrix1(D, G)");
  __reads("b ~> Matrix1(D, B)");
  __writes("y ~> Matrix2(R, D, fun i j -> (X(i, j) - Sum(k in 0..D, X(i, k)) / D) / sqrt(Sum(k in 0..D, (X(i, k) - Sum(l in 0..D, X(i, l)) / D) * (X(i, k) - Sum(l in 0..D, X(i, l)) / D)) / D + eps) * G(j) + B(j))");
  for (int i = 0; i < R; i++) {
    float mean = 0.f;
    for (int j = 0; j < D; j++)
      mean += x[i][j];
    mean /= D;
    float var = 0.f;
    for (int j = 0; j < D; j++)
      var += (x[i][j] - mean) * (x[i][j] - mean);
    var /= D;
    float s = sqrtf(var + eps);
    for (int j = 0; j < D; j++)
      y[i][j] = (x[i][j] - mean) / s * g[j] + b[j];
  }
}
