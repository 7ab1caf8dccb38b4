#include <optigpu.h>

// The sum of an array
float reduce(float *arr, int N) {
  __requires("A: int -> float, N % 128 == 0");
  __reads("arr ~> Matrix1(N, A)");
  __ensures("_Res =. Sum(k in 0..N, A(k))");
  float sum = 0.0f;
  for (int i = 0; i < N; i++) {
    sum += arr[i];
  }
  return sum;
}
