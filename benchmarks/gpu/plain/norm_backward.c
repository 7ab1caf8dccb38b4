#include <optigpu.h>

// two sums over each row, one of which is saved, and two results in one loop
void norm_backward(int h, int w, float x[h][w], float d[h][w], float y[h][w], float z[h][w], float saved[h]) {
  __requires("X: int * int -> float, D: int * int -> float, w > 0");
  __reads("x ~> Matrix2(h, w, X), d ~> Matrix2(h, w, D)");
  __writes("y ~> Matrix2(h, w, fun i j -> D(i, j) * Sum(k in 0..w, X(i, k) * X(i, k)) - X(i, j))");
  __writes("z ~> Matrix2(h, w, fun i j -> X(i, j) * Sum(k in 0..w, X(i, k) * D(i, k)))");
  __writes("saved ~> Matrix1(h, fun i -> Sum(k in 0..w, X(i, k) * X(i, k)))");
  for (int i = 0; i < h; i++) {
    float squares = 0.0f;
    float dot = 0.0f;
    for (int j = 0; j < w; j++) {
      const float e = x[i][j];
      squares += e * e;
      dot += e * d[i][j];
    }
    saved[i] = squares;
    for (int j = 0; j < w; j++) {
      const float e = x[i][j];
      y[i][j] = d[i][j] * squares - e;
      z[i][j] = e * dot;
    }
  }
}
