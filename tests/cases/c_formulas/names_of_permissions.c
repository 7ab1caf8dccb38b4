// A parameter named as a permission is not its contents.
// expect: VERIFIED
// The name Cell stands for any contents.
// mutate: "= Cells" -> "= 0", "Cells" -> "Cell" (2 times) => REJECTED[OG101] int Cell
// The name UninitCell stands for a cell that is not written.
// mutate: "  p[0] = Cells;\n" -> "", "Cells" -> "UninitCell" (2 times) => REJECTED[OG101] int UninitCell

#include <optigpu.h>
void f(int Cells, int* p) {
  __writes("&p[0] ~~> Cells");
  p[0] = Cells;
}
