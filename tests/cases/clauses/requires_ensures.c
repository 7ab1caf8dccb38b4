// `__requires` is proved by callers, `__ensures` by the function: facts and logical variables.
// expect: VERIFIED
// run: clean
// mutate: "return n + 1" -> "return n + 2" => REFUTED[OG000] zzz
//   run: OG000 zzz
// mutate: "_Res == n + 1" -> "_Res == n + 2" => REFUTED[OG000] zzz
//   run: OG000 zzz
// mutate: "half(6)" -> "half(7)" => REFUTED[OG000] zzz
//   run: OG000 zzz
// mutate: "_Res == 3" -> "_Res == 4" => REFUTED[OG000] zzz
//   run: OG000 zzz

#include <optigpu.h>
int next(int n) {
  __requires("n < 1000");
  __ensures("_Res == n + 1");
  return n + 1;
}

int half(int n) {
  __requires("m: int, even: n == 2 * m, n >= 0");
  __ensures("_Res == m");
  return n / 2;
}

int use() {
  __ensures("_Res == 3");
  return half(6);
}
