#include <optigpu.h>

// each row divided by the root of its mean square
void rms_norm(int h, int w, float x[h][w], float gamma[w], float y[h][w]) {
  __requires("X: int * int -> float, G: int -> float, w > 0");
  __reads("x ~> Matrix2(h, w, X), gamma ~> Matrix1(w, G)");
  __writes("y ~> Matrix2(h, w, fun i j -> X(i, j) / sqrtf(Sum(k in 0..w, X(i, k) * X(i, k)) / w + 0.00001f) * G(j))");
  for (int i = 0; i < h; i++) {
    float squares = 0.0f;
    for (int j = 0; j < w; j++) {
      squares += x[i][j] * x[i][j];
    }
    const float scale = 1.0f / sqrtf(squares / w + 0.00001f);
    for (int j = 0; j < w; j++) {
      y[i][j] = x[i][j] * scale * gamma[j];
    }
  }
}
