// `__spreserves` and `__invariant` hold at the start of each iteration and after the last one.
// expect: VERIFIED
// run: clean
// mutate: "&s ~~> 3 * i" -> "&s ~~> 3 * i + 1" => REFUTED[OG322] &s ~~> 3 * i + 1
//   run: OG213 &s ~~> 3 * i + 1
// mutate: "&s ~~> 3 * i" -> "&s ~~> i" => REFUTED[OG318] for (int i = 0; i < n; i++)
//   run: OG213 &s ~~> i
// mutate: "for j in 0..i -> &a[j] ~~> 3 * j" -> "for j in 0..i -> &a[j] ~~> 3 * j + 1"
//   => REFUTED[OG318] for (int i = 0; i < n; i++)
//   run: OG213 &a[j] ~~> 3 * j + 1
// mutate: "for j in 0..i -> &a[j] ~~> 3 * j" -> "for j in 0..i + 1 -> &a[j] ~~> 3 * j"
//   => REFUTED[OG322] for j in 0..i + 1 -> &a[j] ~~> 3 * j
//   run: OG213 &a[j] ~~> 3 * j
// mutate: "for j in i..n -> &a[j] ~> UninitCell" -> "for j in i..n -> &a[j] ~> Cell"
//   => REFUTED[OG322] for j in i..n -> &a[j] ~> Cell
//   run: OG213 &a[j] ~> Cell
// mutate: "0 <= i, i <= n" -> "0 <= i, i < n" => REFUTED[OG318] for (int i = 0; i < n; i++)
//   run: OG213 i < n");
// mutate: "0 <= i, i <= n" -> "1 <= i, i <= n" => REFUTED[OG318] for (int i = 0; i < n; i++)
//   run: OG213 1 <= i

#include <optigpu.h>
void f(int n, int a[n]) {
  __requires("0 <= n, n < 1000");
  __writes("a ~> Matrix1(n, fun i -> 3 * i)");
  int s = 0;
  for (int i = 0; i < n; i++) {
    __spreserves("&s ~~> 3 * i");
    __spreserves("for j in 0..i -> &a[j] ~~> 3 * j");
    __spreserves("for j in i..n -> &a[j] ~> UninitCell");
    __invariant("0 <= i, i <= n");
    a[i] = s;
    s += 3;
  }
}
