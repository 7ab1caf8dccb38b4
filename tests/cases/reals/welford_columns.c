// Welford's update for each column.
// expect: VERIFIED
#include <optigpu.h>
void variance(int n, int w, float x[n][w], float mean[w], float var[w]) {
  __requires("X: int * int -> float");
  __requires("0 < n");
  __reads("x ~> Matrix2(n, w, X)");
  __writes("mean ~> Matrix1(w, fun j -> Sum(k in 0..n, X(k, j)) / n)");
  __writes("var ~> Matrix1(w, fun j -> Sum(k in 0..n, pow(X(k, j) - Sum(l in 0..n, X(l, j)) / n, 2)) / n)");
  for (int j = 0; j < w; j++) {
    mean[j] = 0.f;
    var[j] = 0.f;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < w; j++) {
      float delta = x[i][j] - mean[j];
      mean[j] += delta / (i + 1);
      var[j] += delta * (x[i][j] - mean[j]);
    }
  for (int j = 0; j < w; j++)
    var[j] /= n;
}
