// OpenMP clauses need no blanks between them.
// expect: VERIFIED
// mutate: " num_threads(4)" -> "private(y)" => REJECTED[OG012] #pragma omp parallel for schedule(static)private(y)

#include <optigpu.h>
void f(int n, int a[n]) {
  __writes("a ~> Matrix1(n, fun i -> 3)");
  const int y = 3;
#pragma omp parallel for schedule(static) num_threads(4)
  for (int i = 0; i < n; i++) a[i] = y;
}
