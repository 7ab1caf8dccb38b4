#include <optigpu.h>

// The reduction of section 7.2: the sum of an array, as in Listing 2.1. `reduction.py` derives a kernel from it.
float reduce(int N, float arr[N]) {
  __requires("A: int -> float, N % 512 == 0");
  __reads("arr ~> Matrix1(N, A)");
  __ensures("_Res == Sum(i in 0..N, A(i))");
  float sum = 0.0f;
  for (int i = 0; i < N; i++) {
    sum += arr[i];
  }
  return sum;
}
