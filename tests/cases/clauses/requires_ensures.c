// `__requires` is proved by callers, `__ensures` by the function: facts and logical variables.
// expect: VERIFIED
// run: clean
// mutate: "half(6)" -> "half(7)" => REFUTED[OG331] half(7)
//   run: OG211 half(7)
// mutate: "_Res == m" -> "_Res == m + 1", "_Res == 3" -> "_Res == 4" => REFUTED[OG307] _Res == m + 1
//   run: OG212 _Res == m + 1
// mutate: "_Res == 3" -> "_Res == 4" => REFUTED[OG307] _Res == 4
//   run: OG212 _Res == 4

#include <optigpu.h>
int half(int n) {
  __requires("m: int, even: n == 2 * m, n >= 0");
  __ensures("_Res == m");
  return n / 2;
}

int use() {
  __ensures("_Res == 3");
  return half(6);
}
