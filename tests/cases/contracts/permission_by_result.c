// A postcondition on memory may depend on the result.
// expect: VERIFIED
// The caller reads the cell where it is not written.
// mutate: "r == 1" -> "r == 0" => REFUTED[OG304] a[0];
// The function returns the wrong flag.
// mutate: "int r = 0" -> "int r = 1" => REFUTED[OG306] If(_Res == 1, &a[0] ~~> 5)

#include <optigpu.h>
int g(int n, int a[1]) {
  __consumes("&a[0] ~> UninitCell");
  __produces("If(_Res == 1, &a[0] ~~> 5)");
  __produces("If(_Res != 1, &a[0] ~> UninitCell)");
  int r = 0;
  if (n > 0) {
    a[0] = 5;
    r = 1;
  }
  return r;
}
int f(int n) {
  __ensures("_Res == 0 || _Res == 5");
  int a[1];
  const int r = g(n, a);
  int s = 0;
  if (r == 1) s = a[0];
  return s;
}
