// Ranges of a sum in another order, two of them as one.
// expect: VERIFIED
// mutate: "a[d * 16 + c][p][q] * b" -> "a[d * 16 + c][q][p] * b" => REFUTED[OG302] a[d * 16 + c][q][p]
// mutate: "c < 16" -> "c < 15" => REFUTED[OG307] _Res =. Sum(c in 0..n, p in 0..5, q in 0..7, A(c, p, q) * B(c, p, q))
#include <optigpu.h>
float taps(int n, float a[n][5][7], float b[n][5][7]) {
  __requires("A: int * int * int -> float, B: int * int * int -> float");
  __reads("a ~> Matrix3(n, 5, 7, A), b ~> Matrix3(n, 5, 7, B)");
  __ensures("_Res =. Sum(c in 0..n, p in 0..5, q in 0..7, A(c, p, q) * B(c, p, q))");
  float s = 0.0f;
  for (int p = 0; p < 5; p++)
    for (int q = 0; q < 7; q++)
      for (int d = 0; d < (n + 15) / 16; d++)
        for (int c = 0; c < 16; c++)
          if (d * 16 + c < n) s += a[d * 16 + c][p][q] * b[d * 16 + c][p][q];
  return s;
}
