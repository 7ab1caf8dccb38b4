// Allocations as the public library writes them: macros with the type first, and `__with` for the type.
// expect: VERIFIED
// run: clean
// also: annotated, replay, standin
// mutate: '__with("T := float");\n  memcpy' -> '__with("T := int");\n  memcpy' => REJECTED[OG115] int");
// mutate: '__with("T := float");\n  memcpy' -> '__with("n := 32");\n  memcpy' => REJECTED[OG115] 32");
// mutate: 'SMEM_MALLOC1(float, 32)' -> 'SMEM_MALLOC1(float, 33)' => REFUTED[OG349] float* const s = SMEM_MALLOC1(float, 33)
// mutate: 'GMEM_MALLOC1(float, 32)' -> 'GMEM_MALLOC1(float, 31)' => REFUTED[OG316] memcpy_host_to_device1(d, a, 32);

#include <optigpu.h>

void twice(float a[32]) {
  __requires("A: int -> float");
  __consumes("a ~> Matrix1(32, A)");
  __produces("a ~> Matrix1(32, fun i -> 2 * A(i))");
  float* const d = GMEM_MALLOC1(float, 32);
  __with("T := float");
  memcpy_host_to_device1(d, a, 32);
  kernel_launch(1, 32, 32 * sizeof(float));
  float* const s = SMEM_MALLOC1(float, 32);
  __with("T := float");
  kernel_setup_end();
  thread for (int b = 0; b < 1; b++) {
    thread for (int t = 0; t < 32; t++) {
      s[DMINDEX1(1, b)][t] = d[t];
      d[t] = 2.0f * s[DMINDEX1(1, b)][t];
    }
  }
  kernel_teardown_begin();
  __smem_free1(s, 32);
  kernel_kill();
  memcpy_device_to_host1(a, d, 32);
  gmem_free(d);
}
