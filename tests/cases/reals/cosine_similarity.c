// Cosine similarity: the root of a product of sums of squares.
// expect: VERIFIED
// mutate: "0 < eps" -> "eps != 0" => UNPROVED[OG361] Sum(k in 0..D, A(i, k) * B(i, k)) / max(
#include <optigpu.h>
void cosine(int N, int D, float eps, float a[N][D], float b[N][D], float y[N]) {
  __requires("A: int * int -> float, B: int * int -> float");
  __requires("0 < eps");
  __reads("a ~> Matrix2(N, D, A)");
  __reads("b ~> Matrix2(N, D, B)");
  __writes("y ~> Matrix1(N, fun i -> Sum(k in 0..D, A(i, k) * B(i, k)) / max(sqrt(Sum(k in 0..D, pow(A(i, k), 2))) * sqrt(Sum(k in 0..D, pow(B(i, k), 2))), eps))");
  for (int i = 0; i < N; i++) {
    float p = 0.f;
    float q = 0.f;
    float r = 0.f;
    for (int j = 0; j < D; j++) {
      p += a[i][j] * b[i][j];
      q += a[i][j] * a[i][j];
      r += b[i][j] * b[i][j];
    }
    y[i] = p / fmaxf(sqrtf(q * r), eps);
  }
}
