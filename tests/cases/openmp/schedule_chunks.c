// Chunk sizes and numbers of threads are positive constants.
// expect: VERIFIED
// Chunks of size zero.
// mutate: "static,4" -> "static,0" => REJECTED[OG012] #pragma omp parallel for schedule(static,0) num_threads(2)
// A chunk size that may be zero.
// mutate: "static,4" -> "dynamic,k" => REJECTED[OG012] #pragma omp parallel for schedule(dynamic,k) num_threads(2)
// A chunk size that becomes zero in 32 bits.
// mutate: "static,4" -> "static,4294967296"
//   => REJECTED[OG012] #pragma omp parallel for schedule(static,4294967296) num_threads(2)
// A number of threads that may be zero.
// mutate: "num_threads(2)" -> "num_threads(k)" => REJECTED[OG012] #pragma omp parallel for schedule(static,4) num_threads(k)

#include <optigpu.h>
void f(int n, int k, int a[n]) {
  __writes("a ~> Matrix1(n, fun i -> 3)");
#pragma omp parallel for schedule(static,4) num_threads(2)
  for (int i = 0; i < n; i++) a[i] = 3;
}
