// A program may have names `half`, `bf16` and `tf32` of its own; then it has no such types.
// expect: VERIFIED
// run: clean
// mutate: "float x[n]" -> "half x[n]" => REJECTED[OG001] half x[n], int tf32) {
// mutate: "int f(" -> "int half(" => REJECTED[OG101] half(int n, float x[n], int tf32) {
// mutate: "(int half = 4" -> "(int h = 4" => REJECTED[OG011] half > 0

#include <optigpu.h>
int f(int n, float x[n], int tf32) {
  __requires("X: int -> float, bf16: int, bf16 == tf32 + 1, tf32 < 100");
  __reads("x ~> Matrix1(n, X)");
  __ensures("_Res == bf16");
  for (int half = 4; half > 0; half /= 2) {
    for (int i = 0; i < n; i++) {
      const float y = (half) * x[i] - half;
    }
  }
  return tf32 + 1;
}
