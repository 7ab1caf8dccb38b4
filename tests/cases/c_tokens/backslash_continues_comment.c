// A backslash at the end of a line continues a comment.
// expect: VERIFIED
// mutate: "~~> 0.0f" -> "~~> 1.0f" => REFUTED[OG305] p ~~> 1.0f

#include <optigpu.h>
void f(int c, float* p) {
  __writes("p ~~> 0.0f");
  p[0] = 0.0f; // the next line, too \
  p[0] = 1.0f;
}
