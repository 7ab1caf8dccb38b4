// Whether char is signed depends on the machine.
// expect: VERIFIED
// mutate: "int8_t" -> "char" => REJECTED[OG004] char

#include <optigpu.h>
int f(int x) {
  __ensures("_Res == -1");
  const int8_t c = -1;
  return c;
}
