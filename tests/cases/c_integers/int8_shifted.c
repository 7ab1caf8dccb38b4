// An int8_t shifted beyond its type.
// expect: VERIFIED
// mutate: "50" -> "100", "== 100" -> "== 200" => REFUTED[OG313] y <<= 1;

#include <optigpu.h>
int f(int x) {
  __ensures("_Res == 100");
  int8_t y = 50;
  y <<= 1;
  return y;
}
