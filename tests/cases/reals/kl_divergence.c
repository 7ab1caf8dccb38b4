// The Kullback-Leibler divergence: the logarithm of a quotient of positive numbers.
// expect: VERIFIED
// mutate: "P(i) > 0 && Q(i) > 0" -> "P(i) != 0 && Q(i) > 0" => UNPROVED[OG361] log(P(i))
#include <optigpu.h>
void kl(int N, float p[N], float q[N], float out[1]) {
  __requires("P: int -> float, Q: int -> float");
  __requires("0 < N");
  __requires("forall i in 0..N -> P(i) > 0 && Q(i) > 0");
  __reads("p ~> Matrix1(N, P)");
  __reads("q ~> Matrix1(N, Q)");
  __writes("out ~> Matrix1(1, fun z -> Sum(i in 0..N, Q(i) * (log(Q(i)) - log(P(i)))) / N)");
  float loss = 0.f;
  for (int i = 0; i < N; i++)
    loss += q[i] * logf(q[i] / p[i]);
  out[0] = loss / N;
}
