// Permissions of an uninitialised cell, a cell with some value, a cell with a value, a group of cells, both, a condition.
// expect: VERIFIED
// run: clean
// mutate: "a[0] = 1;" -> "a[0] = a[0] + 1;" => REFUTED[OG304] a[0] + 1;
//   run: OG202 a[0] + 1;
// mutate: "&a[1] ~> Cell, &a[2]" -> "&a[1] ~> UninitCell, &a[2]" => REFUTED[OG304] a[1];
//   run: OG202 a[1];
// mutate: "Cell, &a[2] ~~> 7" -> "Cell, &a[2] ~> Cell" => REFUTED[OG305] &a[2] ~~> 7
//   run: OG212 _Res == (c > 0 ? 11 : 10
// mutate: "for i in 3..n -> &a[i] ~~> i\");\n  __reads" -> "for i in 4..n -> &a[i] ~~> i\");\n  __reads" => REFUTED[OG302] a[3]
//   run: OG215 a[3]
// mutate: "for i in 3..n -> &a[i] ~~> i\");\n  __ensures" -> "for i in 3..n -> &a[i] ~~> i + 1\");\n  __ensures"
//   => REFUTED[OG305] for i in 3..n -> &a[i] ~~> i + 1
//   run: OG212 for i in 3..n -> &a[i] ~~> i + 1
// mutate: "If(c > 0, &b[0] ~~> 1)" -> "If(c > 1, &b[0] ~~> 1)" => REFUTED[OG302] b[0];
//   run: OG215 b[0];
// mutate: "(&a[0] ~~> 1) * (&a[1] ~> Cell)" -> "(&a[0] ~~> 2) * (&a[1] ~> Cell)" => REFUTED[OG305] &a[0] ~~> 2) * (&a[1] ~> Cell
//   run: OG212 &a[0] ~~> 2) * (&a[1] ~> Cell
// mutate: "(&a[0] ~~> 1) * (&a[1] ~> Cell)" -> "(&a[0] ~~> 1) * (&a[0] ~> Cell)" => REFUTED[OG306] &a[0] ~~> 1) * (&a[0] ~> Cell
//   run: OG205 f(int n, int c, int a[n], int b[1]) {

#include <optigpu.h>
int f(int n, int c, int a[n], int b[1]) {
  __requires("3 < n, n < 100");
  __consumes("&a[0] ~> UninitCell, &a[1] ~> Cell, &a[2] ~~> 7, for i in 3..n -> &a[i] ~~> i");
  __reads("If(c > 0, &b[0] ~~> 1)");
  __produces("(&a[0] ~~> 1) * (&a[1] ~> Cell), &a[2] ~~> 7, for i in 3..n -> &a[i] ~~> i");
  __ensures("_Res == (c > 0 ? 11 : 10)");
  int x = 0;
  if (c > 0) {
    x = b[0];
  }
  a[0] = 1;
  a[1] = a[1];
  return a[2] + a[3] + x;
}
