// Integers from -256 to 256 are exact in `bf16`, whatever floats are rounded to: they may be indices.
// expect: VERIFIED
// run: clean
// mutate: "n <= 257" -> "n <= 258" => REFUTED[OG302] a[(int)(bf16)i] = i;

#include <optigpu.h>
void f(int n, int a[n]) {
  __requires("n <= 257");
  __writes("a ~> Matrix1(n, fun i -> i)");
  for (int i = 0; i < n; i++) {
    a[(int)(bf16)i] = i;
  }
}
