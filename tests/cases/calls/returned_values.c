// What a function of floats returns is known to its callers, where its contract promises nothing. It is proved of the body, so an
// admitted function has no such promise; and where a contract promises something, that is all.
// expect: VERIFIED
// also: replay
// mutate: "norm(a[i], 2.0f, 3)" -> "norm(a[i], 3.0f, 3)" => REFUTED[OG305] c ~> Matrix1
// mutate: "return 0.5f * x;" -> "return 0.25f * x;" => REFUTED[OG305] c ~> Matrix1
// mutate: "{ return 0.5f * x; }" -> "{ __admitted(); return 0.5f * x; }" => UNPROVED[OG305] c ~> Matrix1
// mutate: "{ return 0.5f * x; }" -> '{ __ensures("_Res == x - 0.5f * x || x < 0"); return 0.5f * x; }'
//    => UNPROVED[OG305] c ~> Matrix1
// mutate: '__requires("y != 0");' -> "" => REFUTED[OG310] x / y

#include <optigpu.h>
float halved(float x) { return 0.5f * x; }
float sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }
float relu(float x) { return x > 0.0f ? x : 0.0f; }
float norm(float x, float mean, int n) {
  __requires("n >= 0");
  const float d = x - mean;
  return d * d / (n + 1.0f) + halved(d);
}
float quotient(float x, float y) { __requires("y != 0"); return x / y; }
float partial_branches(float x) { return x > 0.0f ? 1.0f / x : sqrtf(-x); }
unsigned wraps(unsigned x) { return x + 1; }
void f(int n, float a[n], float b[n], float c[n]) {
  __requires("A: int -> float");
  __reads("a ~> Matrix1(n, A)");
  __writes("b ~> Matrix1(n, fun i -> A(i) / (1 + exp(-A(i))))");
  __writes("c ~> Matrix1(n, fun i -> max(A(i), 0) + (A(i) - 2) * (A(i) - 2) / 4 + 0.5f * (A(i) - 2) + A(i) / 2)");
  for (int i = 0; i < n; i++) {
    b[i] = a[i] * sigmoid(a[i]);
    c[i] = relu(a[i]) + norm(a[i], 2.0f, 3) + quotient(a[i], 2.0f);
  }
}
