// `&a[1]` of a plain pointer is an element and not a row.
// expect: VERIFIED
// mutate: "float a[2][4]" -> "float* a" => REJECTED[OG106] a[1]

#include <optigpu.h>
void g(int w, float q[1][w]) {
  __writes("q ~> Matrix2(1, w, fun i j -> 1.0f)");
  for (int j = 0; j < w; j++) q[0][j] = 1.0f;
}
void f(float a[2][4]) {
  __requires("A: int * int -> float");
  __consumes("a ~> Matrix2(2, 4, A)");
  __produces("a ~> Matrix2(2, 4, fun i j -> i == 1 ? 1.0f : A(i, j))");
  g(4, &a[1]);
}
