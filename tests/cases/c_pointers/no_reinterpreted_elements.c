// An int is not read as a float.
// expect: VERIFIED
// Through a cast and an index.
// mutate: "(float)p[0]" -> "((float*)p)[0]" => REJECTED[OG105] (float*)p
// Through a cast and `*`.
// mutate: "(float)p[0]" -> "*(float*)p" => REJECTED[OG105] (float*)p

#include <optigpu.h>
float f(int p[1]) {
  __requires("v: int");
  __reads("&p[0] ~~> v");
  __ensures("_Res == v");
  return (float)p[0];
}
