#include <optigpu.h>

__DEF(mean, "fun (X: int * int -> float) (w: int) (i: int) -> Sum(k in 0..w, X(i, k)) / w");
__DEF(variance, "fun (X: int * int -> float) (w: int) (i: int) -> "
                "Sum(k in 0..w, (X(i, k) - mean(X, w, i)) * (X(i, k) - mean(X, w, i))) / w");

// each row normalised by its mean and biased variance
void layer_norm(int h, int w, float x[h][w], float gamma[w], float beta[w], float y[h][w]) {
  __requires("X: int * int -> float, G: int -> float, B: int -> float, w > 0");
  __reads("x ~> Matrix2(h, w, X), gamma ~> Matrix1(w, G), beta ~> Matrix1(w, B)");
  __writes("y ~> Matrix2(h, w, fun i j -> "
           "(X(i, j) - mean(X, w, i)) / sqrtf(variance(X, w, i) + 0.00001f) * G(j) + B(j))");
  for (int i = 0; i < h; i++) {
    float sum = 0.0f;
    for (int j = 0; j < w; j++) {
      sum += x[i][j];
    }
    const float m = sum / w;
    float squares = 0.0f;
    for (int j = 0; j < w; j++) {
      squares += (x[i][j] - m) * (x[i][j] - m);
    }
    const float scale = 1.0f / sqrtf(squares / w + 0.00001f);
    for (int j = 0; j < w; j++) {
      y[i][j] = (x[i][j] - m) * scale * gamma[j] + beta[j];
    }
  }
}
