// A bound variable named as a permission is not its contents.
// expect: VERIFIED
// mutate: "= i;" -> "= 7;", "Cells" -> "Cell" (3 times) => REJECTED[OG101] for Cell in 0..n -> &a[Cell] ~~> Cell

#include <optigpu.h>
void f(int n, int a[n]) {
  __writes("for Cells in 0..n -> &a[Cells] ~~> Cells");
  for (int i = 0; i < n; i++) a[i] = i;
}
