// After an early return, the rest of the body does not see the locals of the else branch.
// expect: VERIFIED
// mutate: "0.0f : 1.0f" -> "0.0f : 5.0f" => REFUTED[OG305] p ~~> (c > 0 ? 0.0f : 5.0f

#include <optigpu.h>
void f(int c, float* p) {
  __writes("p ~~> (c > 0 ? 0.0f : 1.0f)");
  const float x = 1.0f;
  p[0] = 0.0f;
  if (c > 0) return; else { const float x = 5.0f; }
  p[0] = x;
}
