// An index of 8 bits never reaches 300.
// expect: VERIFIED
// mutate: "int j" -> "uint8_t j" => REJECTED[OG011] for (uint8_t j = 0; j < 300; j++)

#include <optigpu.h>
int f(int x) {
  __ensures("_Res == 300");
  int r = 0;
  for (int j = 0; j < 300; j++) r += 1;
  return r;
}
