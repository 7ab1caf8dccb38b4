// `__requires` is proved by callers, `__ensures` by the function: facts and logical variables.
// expect: VERIFIED
// run: clean
// mutate: "halved(2 * k + 6)" -> "halved(2 * k + 7)" => REFUTED[OG331] halved(2 * k + 7)
//   run: OG211 halved(2 * k + 7)
// mutate: "_Res == m" -> "_Res == m + 1", "_Res == k + 3" -> "_Res == k + 4" => REFUTED[OG307] _Res == m + 1
//   run: OG212 _Res == m + 1
// mutate: "_Res == k + 3" -> "_Res == k + 4" => REFUTED[OG307] _Res == k + 4
//   run: OG212 _Res == k + 4

#include <optigpu.h>
int halved(int n) {
  __requires("m: int, even: n == 2 * m, n >= 0");
  __ensures("_Res == m");
  return n / 2;
}

int use(int k) {
  __requires("0 <= k, k < 1000");
  __ensures("_Res == k + 3");
  return halved(2 * k + 6);
}
