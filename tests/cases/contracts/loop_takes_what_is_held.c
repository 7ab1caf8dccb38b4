// An iteration takes only cells that are held.
// expect: VERIFIED
// The cell of the next iteration.
// mutate: "&a[s] ~> Un" -> "&a[s + 1] ~> Un" => REFUTED[OG322] &a[s + 1] ~> UninitCell
// A cell outside the array.
// mutate: "&a[s] ~> Un" -> "&a[s - n] ~> Un" => REFUTED[OG322] &a[s - n] ~> UninitCell
// The loop keeps a cell that is not held.
// mutate: "k in 0..4" -> "k in -1..4" => REFUTED[OG322] for k in -1..4 -> &c[k] ~~> s

#include <optigpu.h>
void f(int n, int a[n], int c[4]) {
  __requires("n >= 0");
  __writes("a ~> Cells1(n)");
  __consumes("c ~> Matrix1(4, fun i -> 0)");
  __produces("c ~> Matrix1(4, fun i -> n)");
  for (int s = 0; s < n; s++) {
    __xconsumes("&a[s] ~> UninitCell");
    __xproduces("&a[s] ~~> 1");
    __spreserves("for k in 0..4 -> &c[k] ~~> s");
    a[s] = 1;
    for (int k = 0; k < 4; k++) c[k] += 1;
  }
}
