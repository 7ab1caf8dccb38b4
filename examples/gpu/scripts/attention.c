#include <optigpu.h>

// Attention: softmax(q * transposed k / sqrt(d)) * v for each head, with d = 64
__DEF(weight, "fun (Q: int * int * int -> float) (K: int * int * int -> float) (h: int) (i: int) (j: int) -> "
              "exp(Sum(e in 0..64, Q(h, i, e) * K(h, j, e)) / sqrt(64))");

void attention(int heads, int n, float q[heads][n][64], float k[heads][n][64], float v[heads][n][64], float out[heads][n][64]) {
  __requires("Q: int * int * int -> float, K: int * int * int -> float, V: int * int * int -> float");
  __reads("q ~> Matrix3(heads, n, 64, Q), k ~> Matrix3(heads, n, 64, K), v ~> Matrix3(heads, n, 64, V)");
  __writes("out ~> Matrix3(heads, n, 64, fun h i c -> Sum(j in 0..n, weight(Q, K, h, i, j) * V(h, j, c)) / "
           "Sum(j in 0..n, weight(Q, K, h, i, j)))");
  const float scale = 1.0f / sqrtf(64.0f);
  for (int h = 0; h < heads; h++) {
    for (int i = 0; i < n; i++) {
      float* const s = MALLOC1(float, n);
      for (int j = 0; j < n; j++) {
        float dot = 0.0f;
        for (int e = 0; e < 64; e++) {
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
        total += expf(s[j] - best);
      }
      for (int c = 0; c < 64; c++) {
        float sum = 0.0f;
        for (int j = 0; j < n; j++) {
          sum += expf(s[j] - best) * v[h][j][c];
        }
        out[h][i][c] = sum / total;
      }
      free(s);
    }
  }
}
