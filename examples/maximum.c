#include <optigpu.h>

float maximum(int n, float a[n]) {
  __requires("A: int -> float, not_empty: n > 0");
  __reads("a ~> Matrix1(n, A)");
  __ensures("_Res == Max(i in 0..n, A(i))");
  float best = a[0];
  for (int i = 1; i < n; i++) {
    best = fmaxf(best, a[i]);
  }
  return best;
}
