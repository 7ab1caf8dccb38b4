// Attention in one pass over the keys: two accumulators with one changing scale.
// expect: VERIFIED
// also: replay
// mutate: "out[i][c] = out[i][c] * scale + p" -> "out[i][c] = out[i][c] + p" => REFUTED[OG305] out ~> Matrix2(
// mutate: "t = t * scale + p;" -> "t = t * scale + scale;" => REFUTED[OG305] out ~> Matrix2(
#include <optigpu.h>
void attention(int n, int d, int e, float q[n][d], float k[n][d], float v[n][e], float out[n][e]) {
  __requires("Q: int * int -> float, K: int * int -> float, V: int * int -> float");
  __requires("0 < n");
  __reads("q ~> Matrix2(n, d, Q)");
  __reads("k ~> Matrix2(n, d, K)");
  __reads("v ~> Matrix2(n, e, V)");
  __writes("out ~> Matrix2(n, e, fun i c -> Sum(j in 0..n, exp(Sum(l in 0..d, Q(i, l) * K(j, l))) / Sum(j2 in 0..n, exp(Sum(l2 in 0..d, Q(i, l2) * K(j2, l2)))) * V(j, c)))");
  for (int i = 0; i < n; i++) {
    float m = -3.0e38f;
    float t = 0.f;
    for (int c = 0; c < e; c++)
      out[i][c] = 0.f;
    for (int j = 0; j < n; j++) {
      float s = 0.f;
      for (int l = 0; l < d; l++)
        s += q[i][l] * k[j][l];
      float m2 = fmaxf(m, s);
      float scale = expf(m - m2);
      float p = expf(s - m2);
      t = t * scale + p;
      for (int c = 0; c < e; c++)
        out[i][c] = out[i][c] * scale + p * v[j][c];
      m = m2;
    }
    for (int c = 0; c < e; c++)
      out[i][c] = out[i][c] / t;
  }
}
