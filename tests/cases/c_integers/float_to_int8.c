// A float that does not fit int8_t.
// expect: VERIFIED
// mutate: "100" -> "300" => REFUTED[OG313] (int8_t)300.0f

#include <optigpu.h>
int f(int x) {
  __ensures("_Res == 1");
  const int8_t y = (int8_t)100.0f;
  return 1;
}
