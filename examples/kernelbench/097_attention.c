#include <optigpu.h>

// softmax(q kᵀ / sqrt(d)) v for every head; 32 x 32 heads of n = 512 positions, d = 1024, scale = 1 / 32
void attention(int heads, int n, int d, float scale, float q[heads][n][d], float k[heads][n][d], float v[heads][n][d],
               float y[heads][n][d]) {
  __requires("Q: int * int * int -> float, K: int * int * int -> float, V: int * int * int -> float, n > 0");
  __reads("q ~> Matrix3(heads, n, d, Q), k ~> Matrix3(heads, n, d, K), v ~> Matrix3(heads, n, d, V)");
  __writes("y ~> Matrix3(heads, n, d, fun h i c -> "
           "Sum(j in 0..n, expf(scale * Sum(e in 0..d, Q(h, i, e) * K(h, j, e))) * V(h, j, c)) / "
           "Sum(j in 0..n, expf(scale * Sum(e in 0..d, Q(h, i, e) * K(h, j, e)))))");
  for (int h = 0; h < heads; h++) {
    for (int i = 0; i < n; i++) {
      float* const s = MALLOC1(float, n);
      for (int j = 0; j < n; j++) {
        float dot = 0.0f;
        for (int e = 0; e < d; e++) {
          dot += q[h][i][e] * k[h][j][e];
        }
        s[j] = scale * dot;
      }
      float best = s[0];
      for (int j = 1; j < n; j++) {
        best = fmaxf(best, s[j]);
      }
      float total = 0.0f;
      for (int j = 0; j < n; j++) {
        s[j] = expf(s[j] - best);
        total += s[j];
      }
      for (int c = 0; c < d; c++) {
        float sum = 0.0f;
        for (int j = 0; j < n; j++) {
          sum += s[j] / total * v[h][j][c];
        }
        y[h][i][c] = sum;
      }
      free(s);
    }
  }
}
