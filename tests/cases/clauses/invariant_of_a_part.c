// An invariant gives values to some cells of an array, and says of others only that they are initialised.
// expect: VERIFIED
// run: clean
// mutate: "for j in i..n -> &a[j] ~~> A(j)" -> "for j in i..n -> &a[j] ~~> A(j) + 1"
//   => REFUTED[OG322] for j in i..n -> &a[j] ~~> A(j) + 1
//   run: OG213 &a[j] ~~> A(j) + 1
// mutate: "for j in i..n -> &a[j] ~~> A(j)" -> "for j in i..n -> &a[j] ~~> A(i)" => REFUTED[OG322] for j in i..n -> &a[j] ~~> A(i)
//   run: OG213 &a[j] ~~> A(i)
// mutate: "for j in 0..i -> &a[j] ~> Cell" -> "for j in 0..i + 1 -> &a[j] ~> Cell", "j in i..n" -> "j in i + 1..n"
//   => REFUTED[OG322] for j in 0..i + 1 -> &a[j] ~> Cell
//   run: OG213 &a[j] ~> Cell
// mutate: "for j in 0..i -> &a[j] ~> Cell" -> "for j in 0..i -> &a[j] ~> UninitCell" => UNPROVED[OG306] a ~> Cells1(n)
//   run: clean
// mutate: "for j in 0..i -> &a[j] ~> Cell" -> "for j in 0..i -> &a[j] ~~> A(j)" => REFUTED[OG318] for (int i = 0; i < n; i++)
//   run: OG213 1st &a[j] ~~> A(j)");

#include <optigpu.h>
void f(int n, float a[n]) {
  __requires("n >= 0, A: int -> float");
  __consumes("a ~> Matrix1(n, A)");
  __produces("a ~> Cells1(n)");
  for (int i = 0; i < n; i++) {
    __spreserves("for j in 0..i -> &a[j] ~> Cell");
    __spreserves("for j in i..n -> &a[j] ~~> A(j)");
    a[i] = a[i] + 1;
  }
}
