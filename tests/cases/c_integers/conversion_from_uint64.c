// A conversion from a longer unsigned type.
// expect: VERIFIED
// mutate: "== 4294967295" -> "== 4294967296" => UNPROVED[OG313] x;

#include <optigpu.h>
int f(uint64_t x) {
  __requires("x == 4294967295");
  __ensures("_Res == 1");
  const unsigned u = x;
  return u > 0 ? 1 : 0;
}
