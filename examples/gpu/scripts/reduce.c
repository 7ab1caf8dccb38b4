#include <optigpu.h>

// The sum of an array
float reduce(int n, float a[n]) {
  __requires("A: int -> float");
  __reads("a ~> Matrix1(n, A)");
  __ensures("_Res =. Sum(k in 0..n, A(k))");
  float sum = 0.0f;
  for (int i = 0; i < n; i++) {
    sum += a[i];
  }
  return sum;
}
