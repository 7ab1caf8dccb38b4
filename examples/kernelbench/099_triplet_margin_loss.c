#include <optigpu.h>

#define MARGIN 1.0f
#define EPS 1e-6f

// the mean of max(0, |a - p| - |a - n| + margin) with Euclidean distances of a - p + eps; 32768 x 8192
void triplet_margin_loss(int batch, int w, float a[batch][w], float p[batch][w], float n[batch][w], float loss[1]) {
  __requires("A: int * int -> float, P: int * int -> float, N: int * int -> float, batch > 0");
  __reads("a ~> Matrix2(batch, w, A), p ~> Matrix2(batch, w, P), n ~> Matrix2(batch, w, N)");
  __writes("&loss[0] ~~> Sum(i in 0..batch, fmaxf(0.0f, "
           "sqrtf(Sum(j in 0..w, powf(A(i, j) - P(i, j) + EPS, 2.0f))) - "
           "sqrtf(Sum(j in 0..w, powf(A(i, j) - N(i, j) + EPS, 2.0f))) + MARGIN)) / batch");
  float sum = 0.0f;
  for (int i = 0; i < batch; i++) {
    float near = 0.0f;
    float far = 0.0f;
    for (int j = 0; j < w; j++) {
      const float dp = a[i][j] - p[i][j] + EPS;
      const float dn = a[i][j] - n[i][j] + EPS;
      near += dp * dp;
      far += dn * dn;
    }
    sum += fmaxf(sqrtf(near) - sqrtf(far) + MARGIN, 0.0f);
  }
  loss[0] = sum / batch;
}
