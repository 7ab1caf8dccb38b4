#include <optigpu.h>

// out[i] = a[0] + … + a[i]
void prefix_sums(int n, float a[n], float out[n]) {
  __requires("A: int -> float");
  __reads("a ~> Matrix1(n, A)");
  __writes("out ~> Matrix1(n, fun i -> Sum(j in 0..i + 1, A(j)))");
  float total = 0.0f;
  for (int i = 0; i < n; i++) {
    total += a[i];
    out[i] = total;
  }
}
