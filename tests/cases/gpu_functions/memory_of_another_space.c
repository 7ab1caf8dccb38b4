// A device function accesses the memory space that its contract names.
// expect: VERIFIED
// mutate: "[SMem] 1.0f" -> "[GMem] 1.0f" => REJECTED[OG114] GMem
// mutate: "&s[t] ~>[SMem] Cell" -> "&s[t] ~>[GMem] Cell" => REJECTED[OG114] GMem
// mutate: "&s[t] ~>[SMem] Cell" -> "&s[t] ~>[TReg] Cell" => REJECTED[OG114] TReg] Cell");
// mutate: "Matrix1Of(1, TReg," -> "Matrix1Of(1, GMem," => UNPROVED[OG348] put(&s[t], x);

#include <optigpu.h>
__device__ void put(float p[1], float q[1]) {
  __consumes("&p[0] ~>[SMem] Cell");
  __produces("&p[0] ~~>[SMem] 1.0f");
  __writes("q ~> Matrix1Of(1, TReg, fun i -> 2.0f)");
  p[0] = 1.0f;
  q[0] = 2.0f;
}
#include <optigpu.h>
void f(int B, float h[B][256]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 256, A)");
  __produces("h ~> Cells2(B, 256)");
  float* const d = __gmem_malloc2<float>(B, 256);
  memcpy_host_to_device2(d, h, B, 256);
  kernel_launch(B, 256, 2048);

  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __shared__ float s[256];
    thread for (int t = 0; t < 256; t++)
      s[t] = d[b][t];
    thread for (int t = 0; t < 256; t++) {
      __xpreserves("&s[t] ~>[SMem] Cell");
      float x[1];
      put(&s[t], x);
    }
  }
  kernel_teardown_begin();

  kernel_kill();
  memcpy_device_to_host2(h, d, B, 256);
  gmem_free(d);
}
