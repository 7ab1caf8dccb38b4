// After an early return in the else branch, the rest does not see the locals of the then branch.
// expect: VERIFIED
// mutate: "? 1.0f" -> "? 5.0f" => REFUTED[OG305] p ~~> (c > 0 ? 5.0f : 0.0f

#include <optigpu.h>
void f(int c, float* p) {
  __writes("p ~~> (c > 0 ? 1.0f : 0.0f)");
  const float x = 1.0f;
  p[0] = 0.0f;
  if (c > 0) { const float x = 5.0f; } else return;
  p[0] = x;
}
