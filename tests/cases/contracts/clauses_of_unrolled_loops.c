// A loop that is unrolled has no contract.
// expect: VERIFIED
// options: integers=unbounded
// mutate: "s >>= 1) {\n" -> 's >>= 1) {\n    __invariant("0 == 1");\n' => UNSUPPORTED[OG300] for (int s = 8; s > 0; s >>= 1)
// mutate: "s >>= 1) {\n" -> 's >>= 1) {\n    __spreserves("&c ~~> 100");\n'
//   => UNSUPPORTED[OG300] for (int s = 8; s > 0; s >>= 1)
// mutate: "s >>= 1) {\n" -> 's >>= 1) {\n    __xensures("s == 3");\n' => UNSUPPORTED[OG300] for (int s = 8; s > 0; s >>= 1)
// mutate: "s >>= 1) {\n" -> 's >>= 1) {\n    __xreads("&a[s] ~~> 7");\n'
//   => UNSUPPORTED[OG300] for (int s = 8; s > 0; s >>= 1)
// mutate: "s >>= 1) {\n" -> 's >>= 1) {\n    __xrequires("k: int, k == 3, k == 4");\n'
//   => UNSUPPORTED[OG300] for (int s = 8; s > 0; s >>= 1)

#include <optigpu.h>
int f(int n, int a[9]) {
  __writes("a ~> Cells1(9)");
  __ensures("_Res == n + 15");
  for (int i = 0; i < 9; i++) {
    __xwrites("&a[i] ~~> i");
    a[i] = i;
  }
  int c = n;
  for (int s = 8; s > 0; s >>= 1) {
    c += a[s];
  }
  return c;
}
