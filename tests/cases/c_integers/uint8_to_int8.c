// A uint8_t that does not fit int8_t.
// expect: VERIFIED
// mutate: "100" -> "200" => REFUTED[OG313] u;

#include <optigpu.h>
int f(int x) {
  __ensures("_Res == 1");
  uint8_t u = 100;
  const int8_t y = u;
  return 1;
}
