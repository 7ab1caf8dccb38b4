// Both outcomes of a comparison of halves are proved safe; a sum of three thirds may or may not be less than 1 on a machine.
// expect: VERIFIED
// run: clean
// mutate: "i = 1;" -> "i = 2;" => REFUTED[OG302] a[i] = 1.0f;

#include <optigpu.h>
void f(float a[2], float x) {
  __writes("a ~> Cells1(2)");
  const half third = 1.0f / 3.0f;
  int i = 0;
  if (third + third + third < x) i = 1;
  a[i] = 1.0f;
  a[1 - i] = 2.0f;
}
