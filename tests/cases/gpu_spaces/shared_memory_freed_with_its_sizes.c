// Shared memory is freed with all the sizes it was allocated with.
// expect: VERIFIED
// mutate: "free2(s, 4, 8)" -> "free2(s, 8, 4)" => REFUTED[OG351] 8, 4);
// mutate: "free2(s, 4, 8)" -> "free1(s, 4)" => REJECTED[OG104] __smem_free1(s, 4)
// mutate: "free2(s, 4, 8)" -> "free3(s, 4, 8, 1)" => REJECTED[OG104] __smem_free3(s, 4, 8, 1)

#include <optigpu.h>
void f(int B, float d[B][8]) {
  __requires("B >= 0");
  __preserves("d ~> Cells2Of(B, 8, GMem)");
  kernel_launch(B, 8, 32 * sizeof(float));
  float* const s = __smem_malloc2<float>(4, 8);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) thread for (int t = 0; t < 8; t++) s[DMINDEX1(B, b)][0][t] = d[b][t];
  kernel_teardown_begin();
  __smem_free2(s, 4, 8);
  kernel_kill();
}
