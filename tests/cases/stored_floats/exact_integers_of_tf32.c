// Integers from -2048 to 2048 are exact in `tf32`, whatever floats are rounded to: they may be indices.
// expect: VERIFIED
// run: clean
// mutate: "n <= 2049" -> "n <= 2050" => UNPROVED[OG302] a[(int)(tf32)i] = i;

#include <optigpu.h>
void f(int n, int a[n]) {
  __requires("n <= 2049");
  __writes("a ~> Matrix1(n, fun i -> i)");
  for (int i = 0; i < n; i++) {
    a[(int)(tf32)i] = i;
  }
}
