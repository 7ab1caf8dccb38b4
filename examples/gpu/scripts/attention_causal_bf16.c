#include <optigpu.h>

// Causal attention, in which query i sees keys 0 to i: softmax(q * transposed k / sqrt(d)) * v for each head, with d = 128
__DEF(weight, "fun (Q: int * int * int -> float) (K: int * int * int -> float) (h: int) (i: int) (j: int) -> "
              "exp(Sum(e in 0..128, Q(h, i, e) * K(h, j, e)) / sqrt(128))");

void attention(int heads, int n, bf16 q[heads][n][128], bf16 k[heads][n][128], bf16 v[heads][n][128], bf16 out[heads][n][128]) {
  __requires("Q: int * int * int -> float, K: int * int * int -> float, V: int * int * int -> float");
  __reads("q ~> Matrix3(heads, n, 128, Q), k ~> Matrix3(heads, n, 128, K), v ~> Matrix3(heads, n, 128, V)");
  __writes("out ~> Matrix3(heads, n, 128, fun h i c -> Sum(j in 0..i + 1, weight(Q, K, h, i, j) * V(h, j, c)) / "
           "Sum(j in 0..i + 1, weight(Q, K, h, i, j)))");
  const float scale = 1.0f / sqrtf(128.0f);
  for (int h = 0; h < heads; h++) {
    for (int i = 0; i < n; i++) {
      float* const s = MALLOC1(float, i + 1);
      for (int j = 0; j < i + 1; j++) {
        float dot = 0.0f;
        for (int e = 0; e < 128; e++) {
          dot += q[h][i][e] * k[h][j][e];
        }
        s[j] = scale * dot;
      }
      float best = s[0];
      for (int j = 1; j < i + 1; j++) {
        best = fmaxf(best, s[j]);
      }
      float total = 0.0f;
      for (int j = 0; j < i + 1; j++) {
        total += expf(s[j] - best);
      }
      for (int c = 0; c < 128; c++) {
        float sum = 0.0f;
        for (int j = 0; j < i + 1; j++) {
          sum += expf(s[j] - best) * v[h][j][c];
        }
        out[h][i][c] = sum / total;
      }
      free(s);
    }
  }
}
