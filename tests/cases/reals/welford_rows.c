// Layer normalisation in one pass, with a counter that is a float.
// expect: VERIFIED
#include <optigpu.h>
void layernorm(int n, int w, float eps, float x[n][w], float y[n][w]) {
  __requires("X: int * int -> float");
  __requires("0 < w && 0 < eps");
  __reads("x ~> Matrix2(n, w, X)");
  __writes("y ~> Matrix2(n, w, fun i j -> (X(i, j) - Sum(l in 0..w, X(i, l)) / w) / sqrt(Sum(k in 0..w, pow(X(i, k) - Sum(l in 0..w, X(i, l)) / w, 2)) / w + eps))");
  for (int i = 0; i < n; i++) {
    float mean = 0.f;
    float m2 = 0.f;
    float count = 0.f;
    for (int j = 0; j < w; j++) {
      count += 1.f;
      float delta = x[i][j] - mean;
      mean += delta / count;
      m2 += delta * (x[i][j] - mean);
    }
    float rstd = rsqrtf(m2 / w + eps);
    for (int j = 0; j < w; j++)
      y[i][j] = (x[i][j] - mean) * rstd;
  }
}
