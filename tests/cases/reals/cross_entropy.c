// Cross entropy of logits, as PyTorch defines it.
// expect: VERIFIED
// mutate: "loss += logf(s) + m - x[i][target[i]];" -> "loss += logf(s) - x[i][target[i]];" => REFUTED[OG305] out ~> Matrix1(
#include <optigpu.h>
void cross_entropy(int N, int C, float x[N][C], int target[N], float out[1]) {
  __requires("X: int * int -> float, T: int -> int");
  __requires("0 < N && 0 < C");
  __requires("forall i in 0..N -> 0 <= T(i) && T(i) < C");
  __reads("x ~> Matrix2(N, C, X)");
  __reads("target ~> Matrix1(N, T)");
  __writes("out ~> Matrix1(1, fun z -> Sum(i in 0..N, 0 - log(exp(X(i, T(i))) / Sum(c in 0..C, exp(X(i, c))))) / N)");
  float loss = 0.f;
  for (int i = 0; i < N; i++) {
    float m = x[i][0];
    for (int c = 1; c < C; c++)
      m = fmaxf(m, x[i][c]);
    float s = 0.f;
    for (int c = 0; c < C; c++)
      s += expf(x[i][c] - m);
    loss += logf(s) + m - x[i][target[i]];
  }
  out[0] = loss / N;
}
