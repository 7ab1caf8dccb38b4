// A loop contract does not claim a cell twice.
// expect: VERIFIED
// mutate: "&a[2 * s] ~~> 1" -> "&a[2 * s + 1] ~~> 5" => REFUTED[OG322] for (int s = 0; s < n; s++)

#include <optigpu.h>
void f(int n, int a[2 * n]) {
  __requires("n >= 0");
  __writes("a ~> Cells1(2 * n)");
  for (int s = 0; s < n; s++) {
    __xwrites("&a[2 * s] ~~> 1");
    __xwrites("&a[2 * s + 1] ~~> 2");
    a[2 * s] = 1;
    a[2 * s + 1] = 2;
  }
}
