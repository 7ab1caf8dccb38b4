#include <optigpu.h>

// out = the sum of a
void reduce(int n, float a[n], float out[1]) {
  __requires("A: int -> float");
  __reads("a ~> Matrix1(n, A)");
  __writes("out ~> Matrix1(1, fun i -> Sum(k in 0..n, A(k)))");
  float sum = 0.0f;
  for (int i = 0; i < n; i++) {
    sum += a[i];
  }
  out[0] = sum;
}
