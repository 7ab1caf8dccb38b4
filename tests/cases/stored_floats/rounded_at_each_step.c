// A sum that is kept in bfloat16: it is rounded in each iteration, and right over the reals.
// expect: VERIFIED
// run: clean
// mutate: "sum += x[i] / 3.0f" -> "sum += x[i] / 3.5f" => REFUTED[OG307] _Res == Sum(i in 0..n, X(i) / 3)
// mutate: "sum += x[i] / 3.0f" -> "sum -= x[i] / 3.0f" => REFUTED[OG307] _Res == Sum(i in 0..n, X(i) / 3)
// mutate: "i = 0;" -> "i = 1;" => REFUTED[OG307] _Res == Sum(i in 0..n, X(i) / 3)

#include <optigpu.h>
bf16 mean(int n, half x[n]) {
  __requires("X: int -> float");
  __reads("x ~> Matrix1(n, X)");
  __ensures("_Res == Sum(i in 0..n, X(i) / 3)");
  bf16 sum = 0.0f;
  for (int i = 0; i < n; i++) sum += x[i] / 3.0f;
  return sum;
}
