#include <optigpu.h>

float sum(int n, float a[n]) {
  __requires("A: int -> float");
  __reads("a ~> Matrix1(n, A)");
  __ensures("_Res == Sum(i in 0..n, A(i))");
  float total = 0.0f;
  for (int i = 0; i < n; i++) {
    total += a[i];
  }
  return total;
}
