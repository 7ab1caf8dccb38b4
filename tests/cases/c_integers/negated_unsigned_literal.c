// -1u is the largest unsigned number.
// expect: VERIFIED
// mutate: "-1;" -> "-1u;" => REFUTED[OG313] y;

#include <optigpu.h>
int f(int x) {
  __ensures("_Res == -1");
  const int64_t y = -1;
  return y;
}
