// A tail with a guard: the sum of a guarded difference of squares is one for each summand, with the factors moved out.
// expect: VERIFIED
// mutate: "< n) s" -> "<= n) s" => REFUTED[OG302] 1st a[d * 16 + c]
// mutate: "(a[d * 16 + c] - m) * (a[d * 16 + c] - m)" -> "(a[d * 16 + c] - m) * (a[d * 16 + c] + m)" => REFUTED[OG307] _Res =. Sum(c in 0..n, (A(c) - m) * (A(c) - m))
// mutate: "(n + 15) / 16" -> "n / 16" => REFUTED[OG307] _Res =. Sum(c in 0..n, (A(c) - m) * (A(c) - m))
#include <optigpu.h>
float squares(int n, float m, float a[n]) {
  __requires("A: int -> float");
  __reads("a ~> Matrix1(n, A)");
  __ensures("_Res =. Sum(c in 0..n, (A(c) - m) * (A(c) - m))");
  float s = 0.0f;
  for (int d = 0; d < (n + 15) / 16; d++)
    for (int c = 0; c < 16; c++)
      if (d * 16 + c < n) s += (a[d * 16 + c] - m) * (a[d * 16 + c] - m);
  return s;
}
